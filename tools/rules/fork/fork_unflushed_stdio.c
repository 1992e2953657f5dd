/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-unflushed-stdio: the child wrote data that its parent had buffered at the fork. The parent
 * writes it, too, unless an exec or a signal ends it first.
 */
#include "../rule.h"

#include <stddef.h>

static MESSAGE msg_bytes = {
	"{who} wrote {bytes} to descriptor {fd} that its parent had in a stdio buffer at the fork "
	"at {fork_at}: the parent writes the same bytes",
	{{STEP_FORK, "{forker} called {how} with data in the buffer"},
	 {STEP_EVENT, "the child {who} flushed its copy of the buffer"}},
};

/* An exec or a signal ends a process without a flush. */
static bool parent_writes(const struct facts *facts, uint32_t child)
{
	uint32_t parent = facts->processes[child].slot->parent;
	const struct fact_process *p =
		parent && parent <= facts->process_count ? &facts->processes[parent - 1] : NULL;

	return p && !p->exec_ns && p->slot->end != MPSAN_END_SIGNAL;
}

void rule_fork_unflushed_stdio(const struct facts *facts, const struct trigger *trigger,
			       struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];

	if (event->type == EV_stdio_twice && parent_writes(facts, event->by))
		finding_add(out, trigger,
			    (struct finding){.rule = RULE_fork_unflushed_stdio,
					     .grade = GRADE_NOTE,
					     .message_text = &msg_bytes,
					     .fork = fact_fork_behind(facts, FACT_NONE, event->by) +
						     1});
}
