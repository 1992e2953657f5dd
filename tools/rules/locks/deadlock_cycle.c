/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlock-cycle: threads wait for each other in a cycle of owners; or each remaining thread waits
 * for a wakeup that no thread is left to send.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE msg_circle = {
	"threads of process {pid} are deadlocked in a wait-for cycle: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_dead_end = {
	"{thread} of process {pid} {waits} at {wait_at}, and no thread is left that could "
	"wake it: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static const char lost_sender[] =
	"{process} {end}, and {thread} of process {pid} {waits} at {wait_at} for what it was to "
	"send; nobody is left who could{open_end}: {deadlock}";

static MESSAGE msg_lost_sender = {
	lost_sender,
	{STEP_PROCESS_ENDED, STEP_ALL_BLOCKED},
};

static MESSAGE msg_sender_left = {
	lost_sender,
	{{STEP_CAUSE, "{process} {end} here"}, STEP_ALL_BLOCKED},
};

static void judge_dead_end(const struct facts *facts, const struct fact_deadlock *deadlock,
			   const struct trigger *trigger, struct findings *out)
{
	enum grade grade = deadlock_is_certain(facts, deadlock) ? GRADE_ERROR : GRADE_WARNING;
	uint32_t sender = deadlock_lost_sender(facts, deadlock), place;

	if (sender == FACT_NONE) {
		FIND(out, deadlock_cycle, grade, trigger, FACT_NONE, FACT_NONE, &msg_dead_end);
		return;
	}
	place = fact_event_of(facts, sender, EV_left, FACT_NONE);
	FIND_EVENT(out, deadlock_cycle, grade, trigger,
		   place == FACT_NONE ? &msg_lost_sender : &msg_sender_left, .process = sender + 1,
		   .cause = place == FACT_NONE ? 0 : place + 1);
}

void rule_deadlock_cycle(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) != RULE_deadlock_cycle)
		return;
	if (deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE)
		FIND(out, deadlock_cycle, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE, &msg_circle);
	else
		judge_dead_end(facts, deadlock, trigger, out);
}
