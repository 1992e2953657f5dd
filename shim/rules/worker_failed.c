/*
 * worker-failed: a worker ended badly, and its parent, which could have asked for it, waits for another one
 * meanwhile. Joining one after the other finds a failure only when all before it are done.
 */
#include "../core/people.h"

#include <stddef.h>

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

static const struct tale tale_of_peace = {
	"{process} {end}, and the program that had started it ended as if all were well: if nobody looked at its "
	"exit status, what it was to do is missing",
	{{STEP_CAUSE, "{process} {end} here"}, {STEP_ENDED, "{process} {end}"}},
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

static bool ended_well(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *process =
		slot < facts->process_count ? facts->processes[slot].slot : NULL;

	return process && process->end == MPSAN_END_EXIT && !process->end_value;
}

static bool ended_badly(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *process = facts->processes[slot].slot;

	return process->end == MPSAN_END_SIGNAL ||
	       (process->end == MPSAN_END_EXIT && process->end_value > 0);
}

/* Whoever joins a worker may look at its status or not: nothing of that is seen. */
static void judge_peace(const struct facts *facts, const struct moment *moment,
			struct findings *out)
{
	for (uint32_t slot = 0; slot < facts->process_count; slot++) {
		uint32_t place;

		if (!facts->processes[slot].slot->pid || !ended_badly(facts, slot) ||
		    !people_is_python_worker(facts, slot) ||
		    !ended_well(facts, people_parent(facts, slot)) ||
		    was_ended_by_another(facts, slot))
			continue;
		place = fact_act_of(facts, slot, EV_left, FACT_NONE);
		FIND_ACT(out, worker_failed, GRADE_NOTE, moment, &tale_of_peace,
			 .process = slot + 1, .cause = place == FACT_NONE ? 0 : place + 1);
	}
}

void rule_worker_failed(const struct facts *facts, const struct moment *moment,
			struct findings *out)
{
	const struct fact_act *act;
	uint32_t worker, place;

	if (moment->kind == MOMENT_CLOSE) {
		judge_peace(facts, moment, out);
		return;
	}
	act = &facts->acts[moment->index];
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
