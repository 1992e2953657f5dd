/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor-pickled-by-value: a tensor was pickled with all its bytes and written through a pipe. The
 * library records this as the count doubles; a process's last record has its total.
 */
#include "../rule.h"

static MESSAGE msg_tensor = {
	"{who} wrote {count} tensors to a pipe by value at {at}, {total} so far: each byte is "
	"copied into the pipe and out of it, where shared memory would need only a descriptor",
	{{STEP_EVENT, "{who} wrote a pickled tensor of {bytes}"}},
};

static MESSAGE msg_first = {
	"{who} wrote a tensor of {bytes} to a pipe by value at {at}: each byte is copied into the "
	"pipe and out of it, where shared memory would need only a descriptor",
	{{STEP_EVENT, "{who} wrote a pickled tensor of {bytes}"}},
};

void rule_tensor_pickled_by_value(const struct facts *facts, const struct trigger *trigger,
				  struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];

	if (event->type == EV_pickled)
		FIND_EVENT(out, tensor_pickled_by_value, GRADE_NOTE, trigger,
			   EVENT_AS(event, pickled)->count > 1 ? &msg_tensor : &msg_first);
}
