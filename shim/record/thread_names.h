/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread is called: the name that Python's threading gave it, else the one that the kernel
 * has for it (pthread_setname_np, prctl) where that is not simply the process's, else for a thread
 * of Python the function that it was started with. Each name is stated with the thread's start,
 * when it is learned and when it has changed.
 */
#ifndef MPSAN_THREAD_NAMES_H
#define MPSAN_THREAD_NAMES_H

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/*
 * Looks it up, unless that was done a moment ago. `python`: another thread's frames may be read,
 * the caller holds the GIL. True when it had to look: some microseconds for another thread.
 */
bool thread_name_look(struct mpsan_thread *t, bool python);

/* The calling thread's, for what it is about to state; where that is often, only its first one. */
void thread_name_own(void);
void thread_name_first(void);

#endif
