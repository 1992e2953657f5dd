/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join-before-drain: a process joins another, and that one, or a thread that it must join itself,
 * writes to a full pipe that only waiting processes could read.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at} for {awaited}, which first has to write "
	"everything that was put into a queue, and whoever could read it waits",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_output = {
	"process {pid} {waits} at {wait_at} for {awaited}, which first has to write its output to "
	"a full pipe, and whoever could read it waits",
	{STEP_ALL_BLOCKED},
};

/* Whether what fills up is a plain pipe, not that of a queue. */
static bool is_output(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	for (uint32_t i = deadlock->begin; i < deadlock->end && i < facts->blocked_count; i++) {
		const struct fact_blocked *blocked = &facts->blockeds[i];

		if (blocked->ev.kind == MPSAN_WAIT_PIPE_WRITE ||
		    blocked->ev.kind == MPSAN_WAIT_SOCKET_WRITE)
			return blocked->frames.what == AWAITED_NOTHING;
	}
	return false;
}

static struct finding of_output(void)
{
	return (struct finding){
		.message_text = &msg_output,
		.title = "a process was awaited before its output was read",
		.fix = "read its output before you wait for its end: subprocess's communicate() "
		       "does both",
	};
}

void rule_join_before_drain(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	struct finding finding = {.message_text = &message_text};

	if (deadlock_rule(facts, deadlock) != RULE_join_before_drain)
		return;
	if (is_output(facts, deadlock))
		finding = of_output();
	finding.rule = RULE_join_before_drain;
	finding.grade = deadlock_is_doubted(facts, deadlock) ? GRADE_WARNING : GRADE_ERROR;
	finding_add(out, trigger, finding);
}
