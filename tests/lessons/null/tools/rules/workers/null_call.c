/* SPDX-License-Identifier: Apache-2.0 */
/* null-call: repeats the null event, as a rule that finds what is no hazard. */
#include "../rule.h"

static MESSAGE msg_call = {
	"{who} asked for its process group at {at}: it is {group}",
	{{STEP_EVENT, "{who} called getpgrp()"}},
};

void rule_null_call(const struct facts *facts, const struct trigger *trigger, struct findings *out)
{
	if (facts->events[trigger->index].type == EV_null)
		FIND_EVENT(out, null_call, GRADE_NOTE, trigger, &msg_call);
}
