/* See vanished.h. */
#include "vanished.h"

#include <stdlib.h>

#include "../shim/wait_rule.h"
#include "maps.h"
#include "threads.h"

static bool began_in(const struct seen_thread *thread, const struct module *module)
{
	uint64_t entry = thread->ev.entry, creator = thread->ev.creator_caller;

	return (entry >= module->base && entry < module->end) ||
	       (creator >= module->base && creator < module->end);
}

/* Not every end of a thread is seen, but there were no more than the kernel counted. */
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

void vanished_count(const struct reader *reader, struct fact_wait *wait)
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

char *vanished_lost(const struct fact_fork *fork)
{
	uint64_t lost = fork && fork->ev.threads ? fork->ev.threads - 1 : 0;

	if (lost < 2)
		return text_copy(lost ? "the other thread" : "any other thread");
	return text_format("the %llu other threads", (unsigned long long)lost);
}

char *vanished_module(struct frames *frames, const struct fact_wait *wait)
{
	json_t *frame = frame_of_caller(frames, &wait->at, wait->ev.caller);
	const char *module = json_string_value(json_object_get(frame, "module"));
	char *text = text_copy(module ? path_base(module) : "its program");

	json_decref(frame);
	return text;
}

/* A subject with its verb: who might have ended the wait, and where they are. */
char *vanished_signallers(struct frames *frames, const struct fact_wait *wait)
{
	char *module = vanished_module(frames, wait),
	     *text = wait->pool_threads == 1 ?
			     text_format("its one possible signaller, a thread of %s, exists",
					 module) :
			     text_format("all %u possible signallers, threads of %s, exist",
					 wait->pool_threads, module);

	free(module);
	return text;
}

char *vanished_left_at(struct frames *frames, const struct fact_left *left)
{
	json_t *frame = frame_of_caller(frames, &left->at, left->ev.caller);
	char *text = frame ? frame_text(frame) : text_copy("an unknown place");

	json_decref(frame);
	return text;
}
