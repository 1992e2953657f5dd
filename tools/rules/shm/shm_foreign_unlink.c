/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm-foreign-unlink: a process unlinked shared memory that it did not create. An unlink by any
 * process after all have attached is good practice; the resource tracker of a process that merely
 * attached does it unasked when that process ends.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE msg_open = {
	"{who} could not open {name} at {at}: {maker} created it at {made_at}, and {cause_who} of "
	"a process that had only attached unlinked it",
	{STEP_MADE, STEP_NAME_REMOVED, STEP_NOT_THERE},
};

static MESSAGE msg_tracker = {
	"{who} unlinked {segment}, which {maker} created at {made_at} and which is still mapped by "
	"{mappers}: this tracker belongs to a process that had only attached",
	{STEP_MADE, {STEP_EVENT, "{who} unlinked {name}"}},
};

static MESSAGE msg_other = {
	"{who} could not open {name} at {at}: {maker} created it at {made_at}, and {cause_who} "
	"unlinked it at {cause_at}",
	{STEP_MADE, STEP_NAME_REMOVED, STEP_NOT_THERE},
};

static MESSAGE msg_stranger = {
	"{who} could not open {name} at {at}: {maker} created it at {made_at}, and it was unlinked "
	"from outside of this session",
	{STEP_MADE, STEP_NOT_THERE},
};

/*
 * Whether `slot` is a resource tracker that does not belong to the segment's creator: it serves the
 * process that started it and all descendants of that process.
 */
static bool is_foreign_tracker(const struct facts *facts, uint32_t slot, uint32_t maker)
{
	uint32_t parent = facts->processes[process_born_as(facts, slot)].slot->parent;

	return role_of(facts->processes[slot].slot) == ROLE_TRACKER && parent &&
	       !fact_is_ancestor(facts, parent - 1, maker);
}

static void judge_removal(const struct facts *facts, const struct trigger *trigger,
			  struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	uint32_t segment = shm_segment_of(facts, trigger->index);
	uint32_t maker = shm_maker(facts, segment);

	if (maker != FACT_NONE && is_foreign_tracker(facts, event->by, maker) &&
	    shm_mapped(facts, segment, event_time(event), FACT_NONE))
		FIND_EVENT(out, shm_foreign_unlink, GRADE_WARNING, trigger, &msg_tracker,
			   .segment = segment);
}

/*
 * The event that unlinked a segment before that time: index + 1; 0: none. It is recorded after the
 * call, which may be after others have missed the name.
 */
static uint32_t removal(const struct facts *facts, uint32_t segment, uint64_t time_ns)
{
	EACH_SHM_EVENT(facts, segment - 1, at)
		if ((facts->events[at - 1].type == EV_shm_unlinked ||
		     (facts->events[at - 1].type == EV_shm_inherited &&
		      EVENT_AS(&facts->events[at - 1], shm_inherited)->what ==
			      MPSAN_SHM_UNLINKED)) &&
		    event_time(&facts->events[at - 1]) <= time_ns + EVENT_SETTLE_NS)
			return at;
	return 0;
}

/*
 * Whether the segment is still in use, its creator did not unlink it, and no record of its creator
 * is missing.
 */
static bool is_kept(const struct facts *facts, uint32_t segment, uint64_t time_ns)
{
	uint32_t maker = shm_maker(facts, segment);

	return !(event_later(shm_made(facts, segment)) & MPSAN_LATER_UNLINKED) &&
	       !facts->processes[maker].lossy && shm_mapped(facts, segment, time_ns, FACT_NONE);
}

static const char fix_of_rm[] =
	"find the rm, the cleaning job or the service that removes the name (tmp cleaners; logind, "
	"unless RemoveIPC=no), and leave what /dev/shm holds to the program that created it";

static bool any_lossy(const struct facts *facts)
{
	for (uint32_t i = 0; i < facts->process_count; i++)
		if (facts->processes[i].lossy)
			return true;
	return false;
}

/*
 * Whether that process is another program, such as rm, that never had the segment: it neither
 * shares the creator's work nor started the creator.
 */
static bool is_cleaner(const struct facts *facts, uint32_t slot, uint32_t segment, uint32_t maker)
{
	if (process_is_worker(facts, slot) || role_text(role_of(facts->processes[slot].slot)) ||
	    fact_is_ancestor(facts, slot, maker))
		return false;
	EACH_SHM_EVENT(facts, segment - 1, at)
		if (facts->events[at - 1].by == slot &&
		    facts->events[at - 1].type != EV_shm_unlinked)
			return false;
	return true;
}

static void judge_other(const struct facts *facts, const struct trigger *trigger,
			struct findings *out, uint32_t segment, uint32_t removed)
{
	uint32_t by = facts->events[removed - 1].by;
	bool cleaner = is_cleaner(facts, by, segment, shm_maker(facts, segment));

	FIND_EVENT(out, shm_foreign_unlink, cleaner ? GRADE_ERROR : GRADE_NOTE, trigger, &msg_other,
		   .segment = segment, .cause = removed, .fix = cleaner ? fix_of_rm : NULL);
}

static void judge_open(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	uint32_t segment = shm_find_name(&facts->shm, shm_name_of(facts, trigger->index));
	const struct fact_event *made = shm_made(facts, segment);
	uint32_t removed;

	/* Created anew since: the failed open did no harm. */
	if (!made || event_time(made) > event_time(event) ||
	    EVENT_AS(made, shm)->way != MPSAN_SHM_OPEN)
		return;
	removed = removal(facts, segment, event_time(event));
	if (!removed) {
		if (is_kept(facts, segment, event_time(event)))
			FIND_EVENT(out, shm_foreign_unlink,
				   any_lossy(facts) ? GRADE_WARNING : GRADE_ERROR, trigger,
				   &msg_stranger, .segment = segment, .fix = fix_of_rm);
	} else if (is_foreign_tracker(facts, facts->events[removed - 1].by, made->by)) {
		FIND_EVENT(out, shm_foreign_unlink, GRADE_ERROR, trigger, &msg_open,
			   .segment = segment, .cause = removed);
	} else if (facts->events[removed - 1].by != event->by &&
		   shm_mapped(facts, segment, event_time(event), FACT_NONE)) {
		judge_other(facts, trigger, out, segment, removed);
	}
}

void rule_shm_foreign_unlink(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];

	if (event->type == EV_shm_unlinked)
		judge_removal(facts, trigger, out);
	else if (event->type == EV_shm_refused &&
		 EVENT_AS(event, shm_refused)->reason == MPSAN_SHM_NO_NAME)
		judge_open(facts, trigger, out);
}
