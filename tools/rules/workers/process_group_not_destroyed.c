/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process-group-not-destroyed: a torch.distributed group that is not destroyed is torn down in
 * whatever order the interpreter shuts down, while other ranks may still use it.
 */

#include "../rule.h"

static MESSAGE message_text = {
	"{process} {end}, and never called destroy_process_group() for the group that it created "
	"at {cause_at}",
	{{STEP_CAUSE, "{cause_who} called init_process_group"},
	 {STEP_ENDED, "{process} ended with its process group in place"}},
};

/*
 * Whether it exited with status 0: the group does not matter in a process that failed or was
 * killed.
 */
static bool ended_well(const struct fact_process *process)
{
	return !process->stayed && !process->lossy && process->slot->end == MPSAN_END_EXIT &&
	       process->slot->end_value <= 0;
}

void rule_process_group_not_destroyed(const struct facts *facts, const struct trigger *trigger,
				      struct findings *out)
{
	uint32_t newest = fact_event_of(facts, trigger->index, EV_group, FACT_NONE);

	if (newest != FACT_NONE && EVENT_AS(&facts->events[newest], group)->made &&
	    ended_well(&facts->processes[trigger->index]))
		FIND_EVENT(out, process_group_not_destroyed, GRADE_NOTE, trigger, &message_text,
			   .cause = newest + 1, .process = trigger->index + 1);
}
