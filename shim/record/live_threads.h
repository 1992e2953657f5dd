/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which threads of this process live. The kernel lists a thread until the very end of its exit, and
 * that is after pthread_join has returned: such a one is no hazard to a fork any more. Neighbours:
 * fork.c asks before a fork; thread.h has the records.
 */
#ifndef MPSAN_LIVE_THREADS_H
#define MPSAN_LIVE_THREADS_H

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/*
 * How many threads live, 0: not known. Marks the records of those that do not, and states their
 * end; looks up the names of the others. One stat while there is one thread; else one peek for each
 * record that was not marked yet. `python`: the caller holds the GIL.
 */
uint32_t live_threads_count(bool python);

/* Marked by live_threads_count: what its record says is over. */
static inline bool live_threads_ended(const struct mpsan_thread *t)
{
	return t->ended && t->ended == t->start_ns;
}

#endif
