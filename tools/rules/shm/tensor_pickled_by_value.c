/*
 * tensor-pickled-by-value: a tensor that was pickled with all its bytes, and written through a pipe. The
 * library states it as the count doubles; the last statement of a process says how many there were.
 */
#include "../rule.h"

static const struct tale tale_of_tensor = {
	"{who} wrote {count} tensors through a pipe by value at {at}, {total} so far: each byte is copied "
	"into the pipe and out of it, where shared memory would carry a descriptor",
	{{STEP_ACT, "{who} wrote a pickled tensor of {bytes}"}},
};

static const struct tale tale_of_first = {
	"{who} wrote a tensor of {bytes} through a pipe by value at {at}: each byte is copied into the "
	"pipe and out of it, where shared memory would carry a descriptor",
	{{STEP_ACT, "{who} wrote a pickled tensor of {bytes}"}},
};

void rule_tensor_pickled_by_value(const struct facts *facts, const struct moment *moment,
				  struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];

	if (act->type == EV_pickled)
		FIND_ACT(out, tensor_pickled_by_value, GRADE_NOTE, moment,
			 ACT_AS(act, pickled)->count > 1 ? &tale_of_tensor : &tale_of_first);
}
