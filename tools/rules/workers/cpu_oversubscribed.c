/*
 * cpu-oversubscribed: for seconds on end more threads wanted to run than there are processors. They take
 * turns, and what they wait for at each barrier is who is not running.
 */
#include "../../facts/people.h"
#include "../rule.h"

static const struct tale tale = {
	"for {lasted} {running} threads in {processes} processes wanted to run at a time, with room for "
	"{processors}: {detail}",
	{{STEP_FORK, "{forker} of process {parent} made a worker"}, {STEP_ACT, "{detail}"}},
};

/* The newest worker that was made before the end of it. */
static uint32_t a_fork(const struct facts *facts, uint64_t until_ns)
{
	for (uint32_t i = facts->fork_count; i-- > 0;)
		if (facts->forks[i].at.time_ns <= until_ns &&
		    facts->forks[i].child < facts->process_count &&
		    people_is_worker(facts, facts->forks[i].child))
			return i;
	return FACT_NONE;
}

/* Many on one processor while others are free: affinity-inherited says so. */
static bool is_bound(const struct facts *facts)
{
	for (uint32_t i = 0; i < facts->act_count; i++)
		if (facts->acts[i].type == EV_bound)
			return true;
	return false;
}

void rule_cpu_oversubscribed(const struct facts *facts, const struct moment *moment,
			     struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];
	const struct ev_load *load = ACT_AS(act, load);
	uint32_t fork;
	bool heavy;

	if (act->type != EV_load || 4 * load->running <= 5 * load->processors)
		return;
	fork = a_fork(facts, act->at.time_ns);
	heavy = load->running > 2 * load->processors && !is_bound(facts) &&
		(fork != FACT_NONE || facts->processes[act->at.by].slot->python);
	finding_add(out, moment,
		    (struct finding){.rule = RULE_cpu_oversubscribed,
				     .grade = heavy ? GRADE_WARNING : GRADE_NOTE,
				     .tale = &tale,
				     .fork = fork,
				     .held = FACT_NONE});
}
