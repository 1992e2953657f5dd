/* System calls in which threads wait, in words. Neighbour: proc.h says in which call a thread is. */
#ifndef MPSAN_CALLS_H
#define MPSAN_CALLS_H

#include "proc.h"

/*
 * "read(fd 3: pipe:[1234])", "nanosleep()", "system call 281": owned by the caller, never NULL for a
 * thread in a call; NULL for one that runs.
 */
char *call_text(uint32_t pid, const struct proc_call *call);

/* Whether it waits for the world outside the job: time, a terminal, a network, a device. */
bool call_is_outside(uint32_t pid, const struct proc_call *call);

#endif
