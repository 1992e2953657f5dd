/*
 * deadlock-cycle: threads that wait for each other in a circle of owners; or all that are left of
 * them wait for one another without owners, for signals that nobody can give any more.
 */
#include "../knot.h"
#include "../rule.h"

static const struct tale tale_of_circle = {
	"threads of process {pid} wait for each other for ever: {knot}",
	{{STEP_BLOCKED, "{knot}"}},
};

static const struct tale tale_of_dead_end = {
	"nobody is left who could wake {thread} of process {pid}, at {wait_at}: {knot}",
	{{STEP_BLOCKED, "{knot}"}},
};

void rule_deadlock_cycle(const struct facts *facts, const struct moment *moment,
			 struct findings *out)
{
	const struct fact_knot *knot = &facts->knots[moment->index];

	if (knot_rule(facts, knot) != RULE_deadlock_cycle)
		return;
	if (knot->ev.cause == MPSAN_KNOT_CYCLE)
		FIND(out, deadlock_cycle, GRADE_ERROR, moment, FACT_NONE, FACT_NONE,
		     &tale_of_circle);
	else
		FIND(out, deadlock_cycle, GRADE_ERROR, moment, FACT_NONE, FACT_NONE,
		     &tale_of_dead_end);
}
