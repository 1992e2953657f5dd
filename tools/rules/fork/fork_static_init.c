/*
 * fork-static-init: a C++ static was under construction by another thread when the process was
 * copied. The child's copy of the guard says that somebody is at work, and nobody is.
 */
#include "../rule.h"

static const struct tale tale_of_fork = {
	"{holder} was constructing the static behind {lock}, {called}, when {forker} called {how} at "
	"{fork_at}; in the child {child} it stays under construction",
	{{STEP_HOLDER, "{holder} was constructing the static behind {lock}, {called}"},
	 {STEP_FORK, "{forker} of process {parent} called {how}"}},
};

static const struct tale tale_of_wait = {
	"process {pid} waits for ever at {wait_at} for the static behind {lock}: {holder} was "
	"constructing it, {called}, and exists only in the parent, which forked at {fork_at}",
	{{STEP_HOLDER, "{holder} was constructing the static behind {lock}, {called}"},
	 {STEP_FORK, "{forker} of process {parent} called {how}, which did not copy {holder}"},
	 {STEP_WAIT, "{thread} of the child {pid} waits for the end of that construction"}},
};

static void judge_fork(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[moment->index];
	bool lives = fact_fate(facts, fork) == FATE_LIVES;

	for (uint32_t i = fork->held_begin; i < fork->held_end; i++) {
		const struct fact_held *held = &facts->helds[i];

		if (fact_held_at(facts, i, moment->index) && held->ev.kind == MPSAN_LOCK_GUARD &&
		    held->ev.holder != fork->at.tid && !held->repaired)
			FIND(out, fork_static_init, lives ? GRADE_WARNING : GRADE_NOTE, moment,
			     moment->index, i, &tale_of_fork);
	}
}

static void judge_wait(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[moment->index];

	if (rule_of_wait(facts, wait) == RULE_fork_static_init)
		FIND(out, fork_static_init, GRADE_ERROR, moment,
		     fact_fork_behind(facts, wait->held, wait->at.by), wait->held, &tale_of_wait);
}

void rule_fork_static_init(const struct facts *facts, const struct moment *moment,
			   struct findings *out)
{
	if (moment->kind == MOMENT_FORK)
		judge_fork(facts, moment, out);
	else
		judge_wait(facts, moment, out);
}
