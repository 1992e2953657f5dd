/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm-leaked: the session is over, and a shared-memory name that it created still exists, with its
 * memory. The supervisor has checked that no process of the session is left to unlink it. A file
 * that a program wrote and left there is its output.
 */
#include "../rule.h"

static MESSAGE msg_dead = {
	"{segment} still exists after the session: {maker} created it at {made_at} and "
	"{maker_end}; no process of this session is left to unlink it",
	{STEP_MADE, STEP_MAKER_ENDED, STEP_NAME_LEFT},
};

static MESSAGE msg_left = {
	"{segment} still exists after the session: {maker} created it at {made_at} and never "
	"unlinked it",
	{STEP_MADE, STEP_MAKER_ENDED, STEP_NAME_LEFT},
};

static MESSAGE msg_cut_short = {
	"{segment} still exists after the session: {maker} created it at {made_at} in a thread "
	"that also unlinks it, and exited before that thread did so",
	{STEP_MADE, STEP_MAKER_ENDED, STEP_NAME_LEFT},
};

static MESSAGE msg_driver = {
	"{segment} still exists after the session: the CUDA driver created it for the interprocess "
	"events of {maker}, and never unlinks such names; it may be removed now",
	{STEP_MADE, STEP_MAKER_ENDED, STEP_NAME_LEFT},
};

static MESSAGE msg_unknown = {
	"{name} still exists after the session, with {bytes}: {who} ended while it was creating it",
	{STEP_PROCESS_ENDED, STEP_NAME_LEFT},
};

static bool was_mapped(const struct facts *facts, uint32_t segment)
{
	EACH_SHM_EVENT(facts, segment - 1, at)
		if (facts->events[at - 1].type == EV_shm_map)
			return true;
	return false;
}

/*
 * With the strategy file_descriptor torch unlinks the name in the same call that creates it. When a
 * DataLoader is left early, a worker may exit while its queue's feeder thread is inside that call,
 * even without mpsan.
 */
static bool was_cut_short(const struct facts *facts, uint32_t segment, uint32_t maker)
{
	const struct fact_event *made = shm_made(facts, segment);

	return shm_is_torch(facts, segment) && !shm_was_killed(facts, maker) &&
	       event_tid(made) != facts->processes[maker].slot->pid &&
	       cuda_end_ns(facts, maker) < event_time(made) + CUDA_GRACE_NS;
}

static enum grade shm_leaked_grade_of(const struct facts *facts, uint32_t segment, bool killed)
{
	if (shm_is_driver(facts, segment))
		return GRADE_NOTE;
	if (shm_is_torch(facts, segment) ||
	    EVENT_AS(shm_made(facts, segment), shm)->way != MPSAN_SHM_FILE)
		return GRADE_ERROR;
	if (!was_mapped(facts, segment))
		return GRADE_OFF;
	return killed ? GRADE_WARNING : GRADE_NOTE;
}

static void shm_leaked_tell(const struct facts *facts, const struct trigger *trigger,
			    uint32_t segment, uint32_t maker, struct findings *out)
{
	bool killed = shm_was_killed(facts, maker);
	bool cut_short = was_cut_short(facts, segment, maker);
	enum grade grade = cut_short ? GRADE_NOTE : shm_leaked_grade_of(facts, segment, killed);

	if (grade != GRADE_OFF)
		FIND_EVENT(out, shm_leaked, grade, trigger,
			   shm_is_driver(facts, segment) ? &msg_driver :
			   killed			 ? &msg_dead :
			   cut_short			 ? &msg_cut_short :
							   &msg_left,
			   .process = maker + 1, .segment = segment);
}

void rule_shm_leaked(const struct facts *facts, const struct trigger *trigger, struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	uint32_t segment = shm_segment_of(facts, trigger->index);
	uint32_t maker = shm_maker(facts, segment);

	if (event->type != EV_shm_left)
		return;
	if (maker != FACT_NONE)
		shm_leaked_tell(facts, trigger, segment, maker, out);
	else if (event->by < facts->process_count)
		FIND_EVENT(out, shm_leaked, GRADE_ERROR, trigger, &msg_unknown,
			   .process = event->by + 1);
}
