/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks on files, of flock and fcntl: who holds the one that a process wants, from /proc/locks.
 * Neighbours: pipes.h knows who shares an open file that holds one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proc.h"

struct file_lock {
	bool of_process; /* fcntl's belongs to a process; flock's to an open file, which may be shared */
	uint32_t pid; /* who took it, and may have ended since if it belongs to an open file */
};

/*
 * The lock on a file with this inode that the process waits for, in this call; false if none is seen, or several
 * are: its threads may wait for different ones.
 */
bool file_lock_awaited(uint32_t pid, const struct proc_call *call, uint64_t inode,
		       struct file_lock *lock);

/* The only lock on a file with this inode, of which the low 48 bits count; false if there is none, or several. */
bool file_lock_held(uint64_t inode, struct file_lock *lock);
