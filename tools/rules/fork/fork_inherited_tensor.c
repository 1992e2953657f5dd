/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-inherited-tensor: a forked child released a shared tensor that it had only inherited.
 * PyTorch does not count it as a user, so an unlink may take the tensor from the others. To read
 * and write it, as in Hogwild training, is fine.
 */
#include "../rule.h"

static MESSAGE msg_removal = {
	"{who} unlinked {segment} at {at}|, |which it had inherited from {maker} by fork and which is still mapped by "
	"{mappers}",
	{STEP_MADE, {STEP_EVENT, "{who} unlinked it"}},
};

static MESSAGE msg_unmap = {
	"{who} unmapped {segment} at {at}|, |which it had inherited from {maker} by fork",
	{STEP_MADE, {STEP_EVENT, "{who} unmapped it"}},
};

/* Whether the process opened the segment itself, or received its descriptor. */
static bool has_own(const struct facts *facts, uint32_t segment, uint32_t slot)
{
	EACH_SHM_EVENT(facts, segment - 1, at)
		if (facts->events[at - 1].type == EV_shm && facts->events[at - 1].by == slot)
			return true;
	return false;
}

/*
 * Whether the process has the segment by fork from its creator alone, without an exec in between.
 */
static bool has_by_fork(const struct facts *facts, uint32_t segment, uint32_t slot)
{
	uint32_t maker = shm_maker(facts, segment);

	return slot != maker && fact_how_copies(facts->processes[slot].slot->how) &&
	       fact_is_ancestor(facts, maker, slot) && !has_own(facts, segment, slot);
}

static bool is_removal(const struct fact_event *event)
{
	return event->type == EV_shm_unlinked ||
	       (event->type == EV_shm_inherited &&
		EVENT_AS(event, shm_inherited)->what == MPSAN_SHM_UNLINKED);
}

void rule_fork_inherited_tensor(const struct facts *facts, const struct trigger *trigger,
				struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	uint32_t segment = shm_segment_of(facts, trigger->index);

	if (!shm_is_torch(facts, segment) || !has_by_fork(facts, segment, event->by))
		return;
	if (is_removal(event)) {
		if (shm_mapped(facts, segment, event_time(event), event->by))
			FIND_EVENT(out, fork_inherited_tensor, GRADE_WARNING, trigger, &msg_removal,
				   .segment = segment);
	} else if (event->type == EV_shm_inherited &&
		   EVENT_AS(event, shm_inherited)->what == MPSAN_SHM_UNMAPPED) {
		FIND_EVENT(out, fork_inherited_tensor, GRADE_NOTE, trigger, &msg_unmap,
			   .segment = segment);
	}
}
