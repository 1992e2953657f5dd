/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested-workers: a worker of a Python program started workers of its own. Their numbers multiply,
 * and ending a worker does not end its workers.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE message_text = {
	"{process} was started by {parent_process}|, |which is a worker itself",
	{STEP_FORK_STARTED, STEP_PROCESS_ENDED},
};

void rule_nested_workers(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	uint32_t slot = trigger->index, parent = process_is_python_worker(facts, slot) ?
							 process_parent(facts, slot) :
							 FACT_NONE;

	if (parent == FACT_NONE || !process_is_python_worker(facts, parent) ||
	    process_was_let_go(facts, slot))
		return;
	finding_add(out, trigger,
		    (struct finding){.rule = RULE_nested_workers,
				     .grade = GRADE_NOTE,
				     .message_text = &message_text,
				     .fork = process_fork(facts, slot) + 1,
				     .process = slot + 1});
}
