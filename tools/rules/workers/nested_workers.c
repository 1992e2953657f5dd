/*
 * nested-workers: a worker of a Python program started workers of its own. Their number multiplies, and who
 * ends a worker does not end its workers.
 */
#include "../../facts/people.h"
#include "../rule.h"

static const struct tale tale = {
	"{process} was started by {parent_process}, which is a worker itself",
	{{STEP_FORK, "{parent_process} started it"}, {STEP_ENDED, "{process} {end}"}},
};

void rule_nested_workers(const struct facts *facts, const struct moment *moment,
			 struct findings *out)
{
	uint32_t slot = moment->index, parent = people_is_python_worker(facts, slot) ?
							people_parent(facts, slot) :
							FACT_NONE;

	if (parent == FACT_NONE || !people_is_python_worker(facts, parent))
		return;
	finding_add(out, moment,
		    (struct finding){.rule = RULE_nested_workers,
				     .grade = GRADE_NOTE,
				     .tale = &tale,
				     .fork = people_fork(facts, slot),
				     .held = FACT_NONE,
				     .process = slot + 1});
}
