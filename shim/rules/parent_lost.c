/*
 * parent-lost: a signal ended a process, and its workers live on. Nobody tells them that their work is not
 * wanted any more, and nobody takes away what they leave.
 */
#include "../core/people.h"

static const struct tale tale = {
	"{process} {end}, and {amount} of the workers that it had started lived on: {left_behind}",
	{{STEP_FORK, "{process} started a worker"}, {STEP_ENDED, "{process} {end}"}},
};

void rule_parent_lost(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	uint32_t count = 0, fork = FACT_NONE;

	if (!people_was_killed(facts, moment->index))
		return;
	for (uint32_t slot = 0; slot < facts->process_count; slot++) {
		if (!people_is_orphan_of(facts, slot, moment->index))
			continue;
		if (!count++)
			fork = people_fork(facts, slot);
	}
	if (count)
		finding_add(out, moment,
			    (struct finding){.rule = RULE_parent_lost,
					     .grade = GRADE_WARNING,
					     .tale = &tale,
					     .fork = fork,
					     .held = FACT_NONE,
					     .process = moment->index + 1,
					     .amount = count});
}
