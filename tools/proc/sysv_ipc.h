/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for semaphores and messages of System V. Neighbour: calls.h. */
#pragma once

#include "proc.h"

/*
 * "System V semaphore 3 of set 65538, last changed by process 123, which has ended", which the caller frees;
 * NULL: the call waits for no such object, or it is in another IPC namespace.
 */
char *sysv_ipc_text(uint32_t pid, const struct proc_call *call);

/* Whether it waits for a semaphore, not a message. */
bool sysv_ipc_is_semaphore(const struct proc_call *call);

/* Whether it wants a semaphore that is given back at the end of its process (SEM_UNDO): a lock. */
bool sysv_ipc_is_lock(uint32_t pid, const struct proc_call *call);
