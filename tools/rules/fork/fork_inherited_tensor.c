/*
 * fork-inherited-tensor: a forked child gave up a shared tensor that it has by inheritance only. Nobody
 * counted it in as a user, so with names the tensor may end for the others. To read and write it
 * there, as in training without locks, is what it is for.
 */
#include "../rule.h"

static MESSAGE msg_removal = {
	"{who} removed the name of {segment} at {at}, which it had inherited from {maker} by a fork and which "
	"is in use by {mappers}",
	{STEP_MADE, {STEP_EVENT, "{who} removed the name"}},
};

static MESSAGE msg_unmap = {
	"{who} gave up {segment} at {at}, which it had inherited from {maker} by a fork",
	{STEP_MADE, {STEP_EVENT, "{who} unmapped it"}},
};

/* It opened the segment by itself, or got its descriptor. */
static bool has_own(const struct facts *facts, uint32_t segment, uint32_t slot)
{
	EACH_SHM_EVENT(facts, segment - 1, at)
	if (facts->events[at - 1].type == EV_shm && facts->events[at - 1].at.by == slot)
		return true;
	return false;
}

/* Whether that process is a copy of the maker, or of a copy, and no other program since. */
static bool has_by_fork(const struct facts *facts, uint32_t segment, uint32_t slot)
{
	uint32_t maker = shm_maker(facts, segment);

	return slot != maker && fact_how_copies(facts->processes[slot].slot->how) &&
	       shm_is_ancestor(facts, maker, slot) && !has_own(facts, segment, slot);
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

	if (!shm_is_torch(facts, segment) || !has_by_fork(facts, segment, event->at.by))
		return;
	if (is_removal(event)) {
		if (shm_mapped(facts, segment, event->at.time_ns, event->at.by))
			FIND_EVENT(out, fork_inherited_tensor, GRADE_WARNING, trigger, &msg_removal,
				   .segment = segment);
	} else if (event->type == EV_shm_inherited &&
		   EVENT_AS(event, shm_inherited)->what == MPSAN_SHM_UNMAPPED) {
		FIND_EVENT(out, fork_inherited_tensor, GRADE_NOTE, trigger, &msg_unmap,
			   .segment = segment);
	}
}
