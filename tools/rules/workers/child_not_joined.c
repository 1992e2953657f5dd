/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child-not-joined: a process exited and left workers running, or did not wait for one that ended.
 * Their exit status is lost, and what they hold stays allocated.
 */

#include "../../facts/processes.h"
#include "../../facts/shm.h"
#include "../rule.h"

#define UNREAPED_NS 1500000000ull /* until a parent that lives should have asked */

static MESSAGE message_text = {
	"{parent_process} {parent_end}, and {process}, which it had started, was still running "
	"half a second later: no process waits for it any more",
	{STEP_FORK_STARTED, STEP_PROCESS_ENDED},
};

static MESSAGE msg_holder = {
	"{parent_process} {parent_end}, and {process}, which it had started, was still running "
	"when the session was over, with memory that it shares: that is freed only when the "
	"process is ended",
	{STEP_FORK_STARTED, STEP_PROCESS_ENDED},
};

static MESSAGE msg_zombie = {
	"{process} {end}, and {parent_process}, which had started it, never waited for it: it "
	"stayed a zombie, and its exit status was lost",
	{STEP_FORK_STARTED, STEP_PROCESS_ENDED},
};

static MESSAGE msg_unreaped = {
	"{process} {end}, and {parent_process}, which had started it and lives, has not waited for "
	"it: it stays a zombie",
	{STEP_PROCESS_ENDED},
};

static bool exports_device_memory(const struct facts *facts, uint32_t slot)
{
	EACH_PIECE(facts, slot, at)
		if (!facts->cuda.pieces[at - 1].end_ns && ipc_counts(&facts->cuda.pieces[at - 1]))
			return true;
	return false;
}

/* Whether it mapped shared memory itself; what it inherited is also its parent's. */
static bool maps_shared_memory(const struct facts *facts, uint32_t slot)
{
	for (uint32_t at = fact_event_of(facts, slot, EV_shm_map, FACT_NONE); at != FACT_NONE;
	     at = fact_event_of(facts, slot, EV_shm_map, at))
		if (!(EVENT_AS(&facts->events[at], shm_map)->device & MPSAN_SHM_MAP_INHERITED) &&
		    !shm_unmap_ns(facts, &facts->events[at]))
			return true;
	return false;
}

/* Whether its parent lived on for long enough to wait for it, and did not, and it stayed a zombie. */
static bool was_never_asked_for(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot], *from;
	uint32_t parent = process_is_python_worker(facts, slot) ? process_parent(facts, slot) :
								  FACT_NONE;

	if (parent == FACT_NONE || !process->gone || process->stayed ||
	    process->slot->flags & (MPSAN_PROCESS_REAPED | MPSAN_PROCESS_WAITED) ||
	    process_is_apart(facts, slot))
		return false;
	from = &facts->processes[parent];
	return from->slot->python && !(from->slot->flags & MPSAN_PROCESS_OFF) &&
	       !(from->slot->marks & MPSAN_MARK_IGNORES_CHLD) && from->gone && !from->stayed &&
	       from->slot->end == MPSAN_END_EXIT &&
	       process->gone_ns + FACT_CHILD_NS < from->gone_ns;
}

/* Seen from outside: a zombie all the time, whose parent went on. */
static bool is_not_asked_for(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];
	uint32_t parent = process_is_worker(facts, slot) ? process_parent(facts, slot) : FACT_NONE;

	return facts->outside && parent != FACT_NONE && process->gone && !process->stayed &&
	       process->slot->flags & MPSAN_PROCESS_OBSERVED && facts->processes[parent].stayed &&
	       process->gone_ns + UNREAPED_NS < facts->processes[parent].gone_ns;
}

static void child_not_joined_find(struct findings *out, const struct facts *facts,
				  const struct trigger *trigger, enum grade grade,
				  const struct message_text *told, uint32_t slot)
{
	finding_add(out, trigger,
		    (struct finding){.rule = RULE_child_not_joined,
				     .grade = grade,
				     .message_text = told,
				     .fork = process_fork(facts, slot) + 1,
				     .process = slot + 1});
}

void rule_child_not_joined(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	uint32_t slot = trigger->index;

	if (trigger->kind == TRIGGER_CLOSE) {
		for (slot = 0; slot < facts->process_count; slot++)
			if (was_never_asked_for(facts, slot))
				child_not_joined_find(out, facts, trigger, GRADE_NOTE, &msg_zombie,
						      slot);
			else if (is_not_asked_for(facts, slot))
				child_not_joined_find(out, facts, trigger, GRADE_NOTE,
						      &msg_unreaped, slot);
		return;
	}
	if (!process_is_left_behind(facts, slot) ||
	    process_was_killed(facts, process_parent(facts, slot)))
		return;
	if (facts->processes[slot].stayed &&
	    (exports_device_memory(facts, slot) || maps_shared_memory(facts, slot)))
		child_not_joined_find(out, facts, trigger, GRADE_ERROR, &msg_holder, slot);
	else
		child_not_joined_find(out, facts, trigger, GRADE_WARNING, &message_text, slot);
}
