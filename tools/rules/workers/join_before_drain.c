/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join-before-drain: a process joins another, and that one, or a thread that it must join itself,
 * writes to a full pipe that only waiting processes could read.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at}| for |{awaited}, which first has to write everything that was put into a "
	"queue, and whoever could read it waits",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_doubted = {
	"process {pid} {waits} at {wait_at}| for |{awaited}, which first has to write everything that was put into a "
	"queue; whoever could read it waits, or wakes up at times and has read nothing so far",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_output = {
	"process {pid} {waits} at {wait_at}| for |{awaited}, which first has to write its output to a full pipe, and "
	"whoever could read it waits",
	{STEP_ALL_BLOCKED},
};

static struct finding of_output(void)
{
	return (struct finding){
		.message_text = &msg_output,
		.title = "a process was awaited before its output was read",
		.fix = DEADLOCK_OUTPUT_FIX,
	};
}

void rule_join_before_drain(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	bool doubted = deadlock_is_doubted(facts, deadlock);
	struct finding finding = {.message_text = doubted ? &msg_doubted : &message_text};

	if (deadlock_rule(facts, deadlock) != RULE_join_before_drain)
		return;
	if (deadlock_fills_output(facts, deadlock))
		finding = of_output();
	finding.rule = RULE_join_before_drain;
	finding.grade = doubted ? GRADE_WARNING : GRADE_ERROR;
	finding_add(out, trigger, finding);
}
