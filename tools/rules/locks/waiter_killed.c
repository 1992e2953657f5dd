/*
 * waiter-killed: the notify() of a multiprocessing condition, and so the set() of an event, waits
 * until each sleeper has confirmed that it woke. One that was killed in its sleep still counts.
 */
#include "../knot.h"
#include "../rule.h"

static const struct tale tale = {
	"process {pid} waits for ever at {wait_at} for a sleeper to confirm that it woke: {dead} slept there "
	"when it ended ({dead_end})",
	{{STEP_BLOCKED, "{knot}"}},
};

void rule_waiter_killed(const struct facts *facts, const struct moment *moment,
			struct findings *out)
{
	const struct fact_knot *knot = &facts->knots[moment->index];
	const struct fact_blocked *waits = knot_sufferer(facts, knot);

	if (knot_rule(facts, knot) == RULE_waiter_killed && waits &&
	    !(waits->ev.flags & MPSAN_LF_TIMED))
		FIND(out, waiter_killed, GRADE_ERROR, moment, FACT_NONE, FACT_NONE, &tale);
}
