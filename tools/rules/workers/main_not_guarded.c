/*
 * main-not-guarded: a child of spawn or forkserver imports the main module to find what it is to run. What
 * stands there outside of the guard is done again in every child.
 */
#include <stddef.h>

#include "../rule.h"

static MESSAGE refused = {
	"{who} started a process while it ran the main module again, at the line that its traceback names: "
	"Python refuses that, and the worker never begins",
	{{STEP_EVENT,
	  "{who}, a child of spawn or forkserver, imported the main module, which starts processes"}},
};

static MESSAGE forked = {
	"{who} ran the main module again, as every child of spawn or forkserver does, and made a process "
	"there, at {at}",
	{{STEP_EVENT, "{who} made a process while it imported the main module"}},
};

static MESSAGE shared = {
	"{who} ran the main module again, as every child of spawn or forkserver does, and made shared memory "
	"there, at {at}: each child has its own, and shares it with nobody",
	{{STEP_EVENT, "{who} made shared memory while it imported the main module"}},
};

static MESSAGE cuda = {
	"{who} ran the main module again, as every child of spawn or forkserver does, and initialised CUDA "
	"there, at {at}",
	{{STEP_EVENT, "{who} initialised CUDA while it imported the main module"}},
};

/* The newest fork of that process before the act went on in a copy of it. */
static bool made_a_copy(const struct facts *facts, const struct fact_event *event)
{
	for (uint32_t i = facts->fork_count; i-- > 0;) {
		const struct fact_fork *fork = &facts->forks[i];

		if (fork->at.by == event->at.by && fork->at.time_ns <= event->at.time_ns)
			return fact_how_copies(fork->ev.how) && fact_fate(facts, fork) != FATE_EXEC;
	}
	return false;
}

void rule_main_not_guarded(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];

	if (event->type != EV_main_again)
		return;
	switch (EVENT_AS(event, main_again)->how) {
	case MPSAN_MAIN_REFUSED:
		FIND_EVENT(out, main_not_guarded, GRADE_ERROR, trigger, &refused);
		break;
	case MPSAN_MAIN_FORKED:
		FIND_EVENT(out, main_not_guarded,
			   made_a_copy(facts, event) ? GRADE_WARNING : GRADE_NOTE, trigger,
			   &forked);
		break;
	case MPSAN_MAIN_SHARED:
		FIND_EVENT(out, main_not_guarded, GRADE_WARNING, trigger, &shared);
		break;
	case MPSAN_MAIN_CUDA:
		FIND_EVENT(out, main_not_guarded, GRADE_NOTE, trigger, &cuda);
		break;
	default:
		break;
	}
}
