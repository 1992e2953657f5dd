/* SPDX-License-Identifier: Apache-2.0 */
/* Counts parent threads that could have signalled a child's wait. */
#include "pool_threads.h"

#include "../../shim/common/wait_rule.h"
#include "maps.h"
#include "threads.h"

static bool began_in(const struct fact_thread *thread, const struct module *module)
{
	uint64_t entry = thread->ev.entry, creator = thread->ev.creator_caller;

	return (entry >= module->base && entry < module->end) ||
	       (creator >= module->base && creator < module->end);
}

/* Ends of threads may be missed, but there were no more threads than the kernel counted. */
static void count_threads(const struct reader *reader, const struct module *module,
			  const struct fact_fork *fork, struct fact_wait *wait)
{
	uint64_t most = fork->ev.threads ? fork->ev.threads - 1 : 0;

	wait->pool_threads = 0;
	for (uint32_t i = 0; i < reader->threads.count && wait->pool_threads < most; i++) {
		const struct fact_thread *thread = &reader->threads.item[i];

		if (!threads_lives(thread, fork) || !began_in(thread, module))
			continue;
		wait->pool_threads++;
		wait->pool_thread = i;
	}
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
		count_threads(reader, module, &reader->facts.forks[fork], wait);
	}
	maps_destroy(maps);
}
