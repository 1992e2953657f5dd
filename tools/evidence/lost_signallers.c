/* SPDX-License-Identifier: Apache-2.0 */
/* Texts about threads of the parent that could have signalled a child's wait. */
#include "lost_signallers.h"

#include <stdlib.h>

char *lost_signallers_lost(const struct fact_fork *fork)
{
	uint64_t lost = fork && fork->ev.threads ? fork->ev.threads - 1 : 0;

	if (lost < 2)
		return text_copy(lost ? "the other thread" : "any other thread");
	return text_format("the %llu other threads", (unsigned long long)lost);
}

char *lost_signallers_module(struct frames *frames, const struct fact_wait *wait)
{
	json_t *frame = frame_of_caller(frames, &wait->at, wait->ev.caller);
	const char *module = json_string_value(json_object_get(frame, "module"));
	char *text = text_copy(module ? path_base(module) : "its program");

	json_decref(frame);
	return text;
}

/* A clause: who could have signalled, and where they are. */
char *lost_signallers_signallers(struct frames *frames, const struct fact_wait *wait)
{
	char *module = lost_signallers_module(frames, wait),
	     *text = wait->pool_threads == 1 ?
			     text_format("the one thread that was started from %s exists", module) :
			     text_format("all %u threads that were started from %s exist",
					 wait->pool_threads, module);

	free(module);
	return text;
}

char *lost_signallers_left_at(struct frames *frames, const struct fact_left *left)
{
	json_t *frame = frame_of_caller(frames, &left->at, left->ev.caller);
	char *text = frame ? frame_text(frame) : text_copy("an unknown place");

	json_decref(frame);
	return text;
}
