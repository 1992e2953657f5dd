/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parent-lost: a signal ended a process, and its workers live on. They do not notice that their
 * work is no longer needed, and no process cleans up after them.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE message_text = {
	"{process} {end}, and {amount} of the workers that it had started lived on: {left_behind}",
	{{STEP_FORK, "{process} started a worker"}, STEP_PROCESS_ENDED},
};

static void parent_lost_judge(const struct facts *facts, const struct trigger *trigger,
			      struct findings *out, uint32_t parent)
{
	struct process_walk walk = process_orphans(facts, parent);
	uint32_t count = 0, fork = FACT_NONE, slot;

	while ((slot = process_next_orphan(facts, &walk)) != FACT_NONE)
		if (!count++)
			fork = process_fork(facts, slot);
	if (count)
		finding_add(out, trigger,
			    (struct finding){.rule = RULE_parent_lost,
					     .grade = GRADE_WARNING,
					     .message_text = &message_text,
					     .fork = fork + 1,
					     .process = parent + 1,
					     .amount = count});
}

/*
 * If another process killed the parent, its workers may be about to be ended, too: they are judged
 * later.
 */
void rule_parent_lost(const struct facts *facts, const struct trigger *trigger,
		      struct findings *out)
{
	if (trigger->kind == TRIGGER_ENDED) {
		if (process_was_killed(facts, trigger->index) &&
		    !process_was_struck(facts, trigger->index))
			parent_lost_judge(facts, trigger, out, trigger->index);
		return;
	}
	for (uint32_t slot = 0; slot < facts->process_count; slot++)
		if (process_was_killed(facts, slot) && process_was_struck(facts, slot))
			parent_lost_judge(facts, trigger, out, slot);
}
