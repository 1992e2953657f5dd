/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm-no-space: a segment gets its pages only as they are written. A size beyond the free space is
 * granted all the same, and a write that finds no free page raises SIGBUS. Memory without a name
 * (memfd_create) does not come from /dev/shm.
 */
#include "../rule.h"

static MESSAGE msg_fault = {
	"{who} got SIGBUS at {at} when it wrote to {segment}|, and |{free_text} free on its file system",
	{STEP_MADE,
	 {STEP_CAUSE, "{cause_who} set its size to {cause_bytes}, while {cause_free_text} free"},
	 {STEP_EVENT, "{who} wrote to it"}},
};

static MESSAGE msg_size = {
	"{who} set the size of {segment} to {bytes} at {at}, and {free_text} free on its file "
	"system: a write beyond that raises SIGBUS",
	{STEP_MADE, {STEP_EVENT, "{who} requested {bytes}"}},
};

static MESSAGE msg_lack = {
	"{segment}, which {who} maps, lacks {bytes} of its size, and {free_text} free on its file "
	"system: a write there raises SIGBUS",
	{{STEP_EVENT, "{who} maps it"}},
};

static MESSAGE msg_refusal = {
	"{function} failed in {who} at {at}: it requested {bytes} of shared memory, and "
	"{free_text} free",
	{STEP_WHO_CALLED},
};

static MESSAGE msg_name = {
	"{function} failed in {who} at {at}: there was no space for {name}",
	{STEP_WHO_CALLED},
};

static bool is_limited(const struct facts *facts, uint32_t segment)
{
	const struct fact_event *made = shm_made(facts, segment);

	return segment && (!made || EVENT_AS(made, shm)->way != MPSAN_SHM_MEMFD);
}

/* The event that set a size beyond the free space: index + 1; 0: none. */
static uint32_t oversize(const struct facts *facts, uint32_t segment)
{
	EACH_SHM_EVENT(facts, segment - 1, at)
		if (facts->events[at - 1].type == EV_shm_size &&
		    EVENT_AS(&facts->events[at - 1], shm_size)->bytes >
			    EVENT_AS(&facts->events[at - 1], shm_size)->free)
			return at;
	return 0;
}

static void judge_fault(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	const struct ev_fault *ev = EVENT_AS(&facts->events[trigger->index], fault);
	uint32_t segment = shm_segment_of(facts, trigger->index);

	if (proof_rule_fault(ev->signal, ev->free) == RULE_shm_no_space &&
	    is_limited(facts, segment))
		FIND_EVENT(out, shm_no_space, GRADE_ERROR, trigger, &msg_fault, .segment = segment,
			   .cause = oversize(facts, segment));
}

void rule_shm_no_space(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	const struct ev_shm_size *size = EVENT_AS(event, shm_size);
	uint32_t segment = shm_segment_of(facts, trigger->index);

	if (event->type == EV_fault) {
		judge_fault(facts, trigger, out);
	} else if (event->type == EV_shm_size) {
		if (!size->result && size->bytes > size->free && is_limited(facts, segment))
			FIND_EVENT(out, shm_no_space, GRADE_WARNING, trigger,
				   facts->outside ? &msg_lack : &msg_size, .segment = segment);
	} else if (event->type == EV_shm_refused &&
		   EVENT_AS(event, shm_refused)->reason == MPSAN_SHM_NO_SPACE) {
		FIND_EVENT(out, shm_no_space, GRADE_WARNING, trigger,
			   EVENT_AS(event, shm_refused)->bytes ? &msg_refusal : &msg_name,
			   .segment = segment);
	}
}
