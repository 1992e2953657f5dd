/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hogwild-not-shared: several forked processes that train one model in place need it in shared
 * memory; a copy of an ordinary model learns for itself. Reading a copy is fine, so this is a note.
 */

#include "../rule.h"

static MESSAGE message_text = {
	"a model ({type}) was passed to a forked process at {at}, and process {pid} has no memory "
	"shared by PyTorch: the child trains its own copy",
	{{STEP_EVENT, "{who} started a process with a {type} among its arguments"}},
};

void rule_hogwild_not_shared(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];

	if (event->type == EV_plain_arguments && !EVENT_AS(event, plain_arguments)->shared)
		FIND_EVENT(out, hogwild_not_shared, GRADE_NOTE, trigger, &message_text);
}
