/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-dontfork-memory: a child accessed memory that its parent excluded from forks
 * (MADV_DONTFORK); or a process forked whose device memory has no fork support, so that
 * copy-on-write moves the pages away from the device.
 */
#include "../rule.h"

#define EXCLUDER "{cause_who} left the memory out of its forks (madvise with MADV_DONTFORK)"

static MESSAGE msg_fault = {
	"{who} got SIGSEGV at {at}: the page was excluded from forks at {cause_at}, and the fork "
	"that created the process did not copy it",
	{{STEP_CAUSE, EXCLUDER},
	 {STEP_FORK, "{forker} called {how}, which did not copy the page"},
	 {STEP_EVENT, "the child {who} accessed it"}},
};

static MESSAGE msg_fork = {
	"{forker} called {how} at {fork_at} after {cause_who} had registered memory with a device "
	"at {cause_at}, without fork support: the device and the process may see different pages "
	"after copy-on-write",
	{{STEP_CAUSE, "{cause_who} registered memory (ibv_reg_mr)"},
	 {STEP_FORK, "the process called {how}, and its child went on without an exec"}},
};

/*
 * The newest MADV_DONTFORK for that address by the process or an ancestor that it was forked from;
 * FACT_NONE.
 */
static uint32_t excluder(const struct facts *facts, const struct fact_event *fault)
{
	uint64_t address = EVENT_AS(fault, fault)->address;
	uint32_t slot = fault->by;

	EACH_ANCESTOR(facts, slot) {
		uint32_t event = fact_event_of(facts, slot, EV_dontfork, FACT_NONE);

		for (; event != FACT_NONE; event = fact_event_of(facts, slot, EV_dontfork, event)) {
			const struct ev_dontfork *ev = EVENT_AS(&facts->events[event], dontfork);

			if (ev->how == MPSAN_DONTFORK_ADVICE && address >= ev->address &&
			    address - ev->address < ev->bytes)
				return event;
		}
	}
	return FACT_NONE;
}

static void judge_fault(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct fact_event *fault = &facts->events[trigger->index];
	uint32_t cause = excluder(facts, fault);

	if (cause == FACT_NONE) /* shared memory, or a record that did not fit */
		return;
	finding_add(out, trigger,
		    (struct finding){.rule = RULE_fork_dontfork_memory,
				     .grade = GRADE_ERROR,
				     .message_text = &msg_fault,
				     .fork = fact_fork_behind(facts, FACT_NONE, fault->by) + 1,
				     .cause = cause + 1});
}

/* Reports the first such fork of each process. */
static void fork_dontfork_memory_judge_fork(const struct facts *facts,
					    const struct trigger *trigger, struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];
	uint32_t event = fact_event_of(facts, fork->at.by, EV_dontfork, FACT_NONE),
		 registered = FACT_NONE;

	for (; event != FACT_NONE; event = fact_event_of(facts, fork->at.by, EV_dontfork, event)) {
		const struct ev_dontfork *ev = EVENT_AS(&facts->events[event], dontfork);

		if (event_time(&facts->events[event]) > fork->at.time_ns)
			continue;
		if (ev->how == MPSAN_DONTFORK_SUPPORTED)
			return;
		if (ev->how == MPSAN_DONTFORK_REGISTERED)
			registered = event;
	}
	if (registered != FACT_NONE && fact_fate(facts, fork) == FATE_LIVES)
		finding_add(out, trigger,
			    (struct finding){.rule = RULE_fork_dontfork_memory,
					     .grade = GRADE_WARNING,
					     .message_text = &msg_fork,
					     .fork = trigger->index + 1,
					     .cause = registered + 1});
}

void rule_fork_dontfork_memory(const struct facts *facts, const struct trigger *trigger,
			       struct findings *out)
{
	if (trigger->kind == TRIGGER_FORK)
		fork_dontfork_memory_judge_fork(facts, trigger, out);
	else if (facts->events[trigger->index].type == EV_fault &&
		 EVENT_AS(&facts->events[trigger->index], fault)->by)
		judge_fault(facts, trigger, out);
}
