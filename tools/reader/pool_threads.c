/* SPDX-License-Identifier: Apache-2.0 */
/* Counts parent threads that could have signalled a child's wait. */
#include "pool_threads.h"

#include "../../shim/common/wait_rule.h"
#include "maps.h"
#include "threads.h"

static bool began_in(const struct seen_thread *thread, const struct module *module)
{
	uint64_t entry = thread->ev.entry, creator = thread->ev.creator_caller;

	return (entry >= module->base && entry < module->end) ||
	       (creator >= module->base && creator < module->end);
}

/* Ends of threads may be missed, but there were no more threads than the kernel counted. */
static uint32_t threads_of(const struct reader *reader, const struct module *module,
			   const struct fact_fork *fork)
{
	uint64_t most = fork->ev.threads ? fork->ev.threads - 1 : 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < reader->threads.count && count < most; i++) {
		const struct seen_thread *thread = &reader->threads.item[i];

		count += threads_lives(thread, fork) && began_in(thread, module);
	}
	return count;
}

void pool_threads_count(const struct reader *reader, struct fact_wait *wait)
{
	uint32_t fork = fact_fork_behind(&reader->facts, FACT_NONE, wait->at.by);
	struct maps *maps;
	const struct module *module;

	if (wait->ev.reason != MPSAN_WAIT_ALONE || fork == FACT_NONE)
		return;
	maps = maps_create(reader);
	module = modules_find(maps_at(maps, wait->at.by, wait->at.time_ns), wait->ev.caller);
	if (module) {
		wait->in_library = wait_is_library(module->path);
		wait->pool_threads = threads_of(reader, module, &reader->facts.forks[fork]);
	}
	maps_destroy(maps);
}
