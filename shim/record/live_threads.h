/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which threads of this process are alive. The kernel lists a thread until the very end of its
 * exit, after pthread_join has returned; such a thread is no hazard to a fork any more. fork.c asks
 * before a fork; thread.h has the records.
 */
#pragma once

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/*
 * The number of live threads; 0: unknown. Marks the records of ended threads and records their end;
 * looks up the names of the others. Costs one stat if there is one thread; otherwise one peek for
 * each record that was not marked yet. `python`: the caller holds the GIL.
 */
uint32_t live_threads_count(bool python);

/* Whether live_threads_count marked it as ended. */
static inline bool live_threads_ended(const struct mpsan_thread *t)
{
	return t->ended && t->ended == t->start_ns;
}
