/*
 * tensor-pickled-by-value: a tensor that was pickled with all its bytes, and written through a pipe. The
 * library states it as the count doubles; the last statement of a process says how many there were.
 */
#include "../rule.h"

static MESSAGE msg_tensor = {
	"{who} wrote {count} tensors through a pipe by value at {at}, {total} so far: each byte is copied "
	"into the pipe and out of it, where shared memory would carry a descriptor",
	{{STEP_EVENT, "{who} wrote a pickled tensor of {bytes}"}},
};

static MESSAGE msg_first = {
	"{who} wrote a tensor of {bytes} through a pipe by value at {at}: each byte is copied into the "
	"pipe and out of it, where shared memory would carry a descriptor",
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
