/* SPDX-License-Identifier: Apache-2.0 */
/* Texts about threads of the parent that could have signalled a child's wait. */
#include "lost_signallers.h"

#include <stdlib.h>

#include "../reader/threads.h"

char *lost_signallers_lost(const struct fact_fork *fork)
{
	uint64_t lost = fork && fork->ev.threads ? fork->ev.threads - 1 : 0;

	if (lost < 2)
		return text_copy(lost ? "the other thread" : "any other thread");
	return text_format("the %llu other threads", (unsigned long long)lost);
}

char *lost_signallers_module(struct frames *frames, const struct fact_wait *wait)
{
	json_auto_t *frame = frame_of_caller(frames, &wait->at, wait->ev.caller);
	const char *module = json_string_value(json_object_get(frame, "module"));

	return text_copy(module ? path_base(module) : "its program");
}

/* The name of the only one at the fork; NULL: there are several, or it has none. */
static const char *name_of_one(const struct reader *reader, const struct fact_fork *fork,
			       const struct fact_wait *wait)
{
	const struct fact_thread *thread;

	if (!fork || wait->pool_threads != 1 || wait->pool_thread >= reader->threads.count)
		return NULL;
	thread = &reader->threads.item[wait->pool_thread];
	return threads_name(reader, thread->at.by, thread->at.tid, fork->at.time_ns);
}

/* A clause: who could have signalled, and where they are. */
char *lost_signallers_signallers(const struct reader *reader, struct frames *frames,
				 const struct fact_fork *fork, const struct fact_wait *wait)
{
	const char *name;
	AUTO_FREE char *module = NULL;

	if (!wait)
		return NULL;
	name = name_of_one(reader, fork, wait);
	if (name)
		return text_format("thread \"%s\" exists", name);
	module = lost_signallers_module(frames, wait);
	return wait->pool_threads == 1 ?
		       text_format("the one thread that was started from %s exists", module) :
		       text_format("all %u threads that were started from %s exist",
				   wait->pool_threads, module);
}

char *lost_signallers_left_at(struct frames *frames, const struct fact_left *left)
{
	json_auto_t *frame = frame_of_caller(frames, &left->at, left->ev.caller);

	return frame ? frame_text(frame) : text_copy("an unknown place");
}
