/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main-not-guarded: a child of spawn or forkserver imports the main module to find its target. Code
 * outside the __main__ guard runs again in every child.
 */

#include "../rule.h"

static MESSAGE refused = {
	"{who} started a process while it imported the main module, at the line that its traceback "
	"names: Python refuses that, and the worker never starts",
	{{STEP_EVENT,
	  "{who}, a child of spawn or forkserver, imported the main module, which starts "
	  "processes"}},
};

static MESSAGE forked = {
	"{who} imported the main module[, as every child of spawn or forkserver does,] and started a process there, "
	"at {at}",
	{{STEP_EVENT, "{who} started a process while it imported the main module"}},
};

static MESSAGE shared = {
	"{who} imported the main module[, as every child of spawn or forkserver does,] and created shared memory "
	"there, at {at}: each child has its own, shared with no other process",
	{{STEP_EVENT, "{who} created shared memory while it imported the main module"}},
};

static MESSAGE cuda = {
	"{who} imported the main module[, as every child of spawn or forkserver does,] and initialised CUDA there, at "
	"{at}",
	{{STEP_EVENT, "{who} initialised CUDA while it imported the main module"}},
};

/* Whether the process forked without an exec: its newest fork before the event. */
static bool made_a_copy(const struct facts *facts, const struct fact_event *event)
{
	for (uint32_t i = facts->fork_count; i-- > 0;) {
		const struct fact_fork *fork = &facts->forks[i];

		if (fork->at.by == event->by && fork->at.time_ns <= event_time(event))
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
