/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of threads: the one that Python's threading gave it, otherwise the kernel's
 * (pthread_setname_np, prctl) if that is not simply the process's, otherwise for a Python thread
 * its target function. Each name is recorded with the thread's start time, when it is first seen
 * and when it changes.
 */
#pragma once

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/*
 * Looks the name up, unless that was done recently. `python`: another thread's frames may be read,
 * the caller holds the GIL. True if it had to look: some microseconds for another thread.
 */
bool thread_name_look(struct mpsan_thread *t, bool python);

/*
 * Looks up the calling thread's name before it records something; if that is often, only its first
 * name.
 */
void thread_name_own(void);
void thread_name_first(void);
