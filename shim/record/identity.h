/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who a process is: its pid, when it started, and the pid namespace that counts it so. No other process of this
 * boot is all three, whatever has been counted anew, or shifted by a time namespace. Neighbours: session.c names
 * directories by it, table.c processes.
 */
#ifndef MPSAN_IDENTITY_H
#define MPSAN_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct mpsan_process;

struct identity {
	uint32_t pid; /* as /proc counts: it may be that of a pid namespace further out */
	uint32_t parent;
	uint64_t start; /* ticks since the machine was started */
	uint64_t pid_ns; /* inode; 0: not known */
	bool foreign; /* /proc counts otherwise than we do */
};

/* This process; false when /proc does not tell. */
bool identity_self(struct identity *self);
/* Goes on to its parent; false when there is none that can be seen. */
bool identity_up(struct identity *identity);

/* PID.START.NAMESPACE */
#define IDENTITY_BYTES 64
void identity_name(char name[IDENTITY_BYTES], const struct identity *identity);
/* Whether the process that such a name begins with has ended, as far as `self` can tell. */
enum identity_state { IDENTITY_UNSURE, IDENTITY_LIVES, IDENTITY_GONE };
enum identity_state identity_state(const char *name, const struct identity *self);

/* Inode of the pid namespace of this process, 0: not known. */
uint64_t identity_pid_ns(void);

/*
 * Whether a process still runs the image of its slot: not ended, not a zombie, not replaced by an
 * exec. One of another pid namespace counts as alive until its slot says otherwise.
 */
bool identity_lives(const struct mpsan_process *process, uint64_t own_pid_ns);
/* What of that a slot and one system call tell: not whether it is a zombie, or a pid come again. */
bool identity_has_ended(const struct mpsan_process *process, uint64_t own_pid_ns);

/* Whether this process may have been born at that time: it was not started later. */
bool identity_began_by(uint64_t birth_ns);

/* Whether a user's number means one user, not all whom a user namespace leaves out. */
bool identity_is_mapped(uint32_t uid);

#endif
