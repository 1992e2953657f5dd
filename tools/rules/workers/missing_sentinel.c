/*
 * missing-sentinel: a process waits for the end of workers, and they wait for work on an empty pipe
 * into which only waiting processes could write.
 */
#include "../knot.h"
#include "../rule.h"

static const struct tale tale = {
	"process {pid} waits for ever at {wait_at} for {awaited}: workers wait for more work, "
	"and nobody is left who could send it or tell them to stop",
	{{STEP_BLOCKED, "{knot}"}},
};

void rule_missing_sentinel(const struct facts *facts, const struct moment *moment,
			   struct findings *out)
{
	const struct fact_knot *knot = &facts->knots[moment->index];

	if (knot_rule(facts, knot) == RULE_missing_sentinel)
		FIND(out, missing_sentinel, GRADE_ERROR, moment, FACT_NONE, FACT_NONE, &tale);
}
