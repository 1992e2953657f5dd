/* SPDX-License-Identifier: Apache-2.0 */
/* Tells threads that pause before they go on from those that tick. */
#include "at_work.h"

#define ROUNDS_MIN 3u /* fewer are the beginning of something else, or of growing pauses */

/* Whether it lasts for longer than those before, by half at least. */
static bool is_long(const struct at_work_thread *thread)
{
	uint64_t period_ns = (thread->began_ns - thread->first_ns) / thread->rounds;

	return thread->length_ns > period_ns + period_ns / 2;
}

static bool ticks(const struct at_work_thread *thread, uint64_t moved_ns)
{
	return thread->rounds >= ROUNDS_MIN && !is_long(thread) &&
	       thread->began_ns > moved_ns + AT_WORK_LATER_NS;
}

enum at_work at_work_of(const struct at_work_thread *thread, uint64_t moved_ns,
			uint64_t patience_ns)
{
	if (thread->acts)
		return AT_WORK;
	if (!thread->timed)
		return AT_WORK_NOT;
	if (!ticks(thread, moved_ns))
		return thread->pauses ? AT_WORK : AT_WORK_FOR_WAITERS;
	return (thread->first_ns > patience_ns ? AT_WORK_FOR_WAITERS : AT_WORK_NOT) |
	       (thread->apart ? AT_WORK_FOR_PROCESS : AT_WORK_NOT);
}
