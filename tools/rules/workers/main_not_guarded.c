/*
 * main-not-guarded: a child of spawn or forkserver imports the main module to find what it is to run. What
 * stands there outside of the guard is done again in every child.
 */
#include <stddef.h>

#include "../rule.h"

static const struct tale refused = {
	"{who} started a process while it ran the main module again, at the line that its traceback names: "
	"Python refuses that, and the worker never begins",
	{{STEP_ACT,
	  "{who}, a child of spawn or forkserver, imported the main module, which starts processes"}},
};

static const struct tale forked = {
	"{who} ran the main module again, as every child of spawn or forkserver does, and made a process "
	"there, at {at}",
	{{STEP_ACT, "{who} made a process while it imported the main module"}},
};

static const struct tale shared = {
	"{who} ran the main module again, as every child of spawn or forkserver does, and made shared memory "
	"there, at {at}: each child has its own, and shares it with nobody",
	{{STEP_ACT, "{who} made shared memory while it imported the main module"}},
};

static const struct tale cuda = {
	"{who} ran the main module again, as every child of spawn or forkserver does, and initialised CUDA "
	"there, at {at}",
	{{STEP_ACT, "{who} initialised CUDA while it imported the main module"}},
};

/* The newest fork of that process before the act went on in a copy of it. */
static bool made_a_copy(const struct facts *facts, const struct fact_act *act)
{
	for (uint32_t i = facts->fork_count; i-- > 0;) {
		const struct fact_fork *fork = &facts->forks[i];

		if (fork->at.by == act->at.by && fork->at.time_ns <= act->at.time_ns)
			return fact_how_copies(fork->ev.how) && fact_fate(facts, fork) != FATE_EXEC;
	}
	return false;
}

void rule_main_not_guarded(const struct facts *facts, const struct moment *moment,
			   struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];

	if (act->type != EV_main_again)
		return;
	switch (ACT_AS(act, main_again)->how) {
	case MPSAN_MAIN_REFUSED:
		FIND_ACT(out, main_not_guarded, GRADE_ERROR, moment, &refused);
		break;
	case MPSAN_MAIN_FORKED:
		FIND_ACT(out, main_not_guarded,
			 made_a_copy(facts, act) ? GRADE_WARNING : GRADE_NOTE, moment, &forked);
		break;
	case MPSAN_MAIN_SHARED:
		FIND_ACT(out, main_not_guarded, GRADE_WARNING, moment, &shared);
		break;
	case MPSAN_MAIN_CUDA:
		FIND_ACT(out, main_not_guarded, GRADE_NOTE, moment, &cuda);
		break;
	default:
		break;
	}
}
