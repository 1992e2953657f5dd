/*
 * hogwild-not-shared: training in place by several forked processes needs a model in shared memory. A copy of
 * an ordinary one learns for itself. Reading a copy is fine, so this is advice.
 */
#include <stddef.h>

#include "../rule.h"

static const struct tale tale = {
	"a model ({type}) was given to a forked process at {at}, and process {pid} has no memory shared by PyTorch: "
	"the child trains a copy of its own",
	{{STEP_ACT, "{who} started a process with a {type} among its arguments"}},
};

void rule_hogwild_not_shared(const struct facts *facts, const struct moment *moment,
			     struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];

	if (act->type == EV_plain_arguments && !ACT_AS(act, plain_arguments)->shared)
		FIND_ACT(out, hogwild_not_shared, GRADE_NOTE, moment, &tale);
}
