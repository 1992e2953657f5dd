/*
 * hang: a wait that lasts far beyond its time. Somebody could still end it, so it is no proof: the
 * rule tells what is known.
 */
#include "../core/knot.h"

static const struct tale tale = {
	"{thread} of process {pid} has waited for {since} s at {wait_at}: {knot}",
	{{STEP_BLOCKED, "{knot}"}},
};

void rule_hang(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	if (knot_rule(facts, &facts->knots[moment->index]) == RULE_hang)
		FIND(out, hang, GRADE_WARNING, moment, FACT_NONE, FACT_NONE, &tale);
}
