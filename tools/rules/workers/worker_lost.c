/*
 * worker-lost: multiprocessing.Pool replaces a worker that was killed, but nobody gets the task that
 * it had, and who waits for the result waits for ever.
 */
#include "../knot.h"
#include "../rule.h"

static const struct tale tale = {
	"process {pid} waits for ever at {wait_at} for a result of its pool: the worker {dead} had a task "
	"when it ended ({dead_end}), and all other workers are idle{detail}",
	{{STEP_BLOCKED, "{knot}"}},
};

void rule_worker_lost(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_knot *knot = &facts->knots[moment->index];
	const struct fact_blocked *waits = knot_sufferer(facts, knot);

	if (knot_rule(facts, knot) == RULE_worker_lost && waits &&
	    !(waits->ev.flags & MPSAN_LF_TIMED))
		FIND(out, worker_lost, GRADE_ERROR, moment, FACT_NONE, FACT_NONE, &tale);
}
