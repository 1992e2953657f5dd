/*
 * hang: a wait that lasts far beyond its time. Somebody could still end it, so it is no proof: the
 * rule tells what is known. Or nobody could, and it seems to be meant so: a note.
 */
#include "../knot.h"
#include "../rule.h"

static const struct tale tale = {
	"{thread} of process {pid} has waited for {since} s at {wait_at}: {knot}",
	{{STEP_BLOCKED, "{knot}"}},
};

static const struct tale tale_of_parked = {
	"{thread} of process {pid} has waited for {since} s at {wait_at}, and nobody in the job could end "
	"that; as nobody was seen who was ever meant to, it seems to wait for a signal from outside: {knot}",
	{{STEP_BLOCKED, "{knot}"}},
};

void rule_hang(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_knot *knot = &facts->knots[moment->index];

	if (knot_rule(facts, knot) != RULE_hang)
		return;
	if (knot_sufferer(facts, knot)->ev.flags & MPSAN_LF_PARKED)
		FIND(out, hang, GRADE_NOTE, moment, FACT_NONE, FACT_NONE, &tale_of_parked);
	else
		FIND(out, hang, GRADE_WARNING, moment, FACT_NONE, FACT_NONE, &tale);
}
