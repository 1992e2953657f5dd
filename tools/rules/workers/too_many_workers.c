/*
 * too-many-workers: there are more workers than processors, and they mostly wait. Each costs memory and a
 * start; more of them do not make the work faster.
 */
#include "../../facts/people.h"
#include "../rule.h"

static const struct tale tale = {
	"{who} had {processes} workers at a time for {lasted}, with room for {processors} to run, and they "
	"mostly waited: {running} of all threads wanted to run",
	{{STEP_ACT, "{detail}"}},
};

void rule_too_many_workers(const struct facts *facts, const struct moment *moment,
			   struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];
	const struct ev_load *load = ACT_AS(act, load);

	if (act->type == EV_load && load->processes > load->processors &&
	    4 * load->running <= 5 * load->processors)
		FIND_ACT(out, too_many_workers, GRADE_NOTE, moment, &tale);
}
