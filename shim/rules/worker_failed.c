/*
 * worker-failed: a worker ended badly, and its parent, which could have asked for it, waits for another one
 * meanwhile. Joining one after the other finds a failure only when all before it are done.
 */
#include "../core/people.h"

static const char message[] =
	"{process} {end}, and {who}, which had started it, did not notice for {lasted}: it waits at {at} for "
	"process {waits_for} alone";
static const char waits[] = "{who} waits for process {waits_for}";

static const struct tale tale = {
	message,
	{{STEP_ENDED, "{process} {end}"}, {STEP_ACT, waits}},
};

static const struct tale tale_of_place = {
	message,
	{{STEP_CAUSE, "{process} {end} here"}, {STEP_ACT, waits}},
};

/* Who ends a process by a signal knows why. */
static bool was_ended_by_another(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];

	for (uint32_t i = 0; i < facts->act_count; i++)
		if (facts->acts[i].type == EV_killed &&
		    ACT_AS(&facts->acts[i], killed)->pid == process->slot->pid &&
		    facts->acts[i].at.time_ns >= process->slot->birth_ns &&
		    facts->acts[i].at.time_ns <= process->gone_ns)
			return true;
	return false;
}

void rule_worker_failed(const struct facts *facts, const struct moment *moment,
			struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];
	uint32_t worker, place;

	if (act->type != EV_unnoticed)
		return;
	worker = (uint32_t)ACT_AS(act, unnoticed)->worker_slot - 1;
	if (worker >= facts->process_count || was_ended_by_another(facts, worker))
		return;
	place = fact_act_of(facts, worker, EV_left, FACT_NONE);
	FIND_ACT(out, worker_failed, GRADE_WARNING, moment,
		 place == FACT_NONE ? &tale : &tale_of_place, .process = worker + 1,
		 .cause = place == FACT_NONE ? 0 : place + 1);
}
