/* SPDX-License-Identifier: Apache-2.0 */
/*
 * missing-sentinel: a process joins workers that wait for work on an empty pipe to which only
 * waiting processes could write.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at} for {awaited}: workers wait for an item, and no "
	"process is left that could put one, or a sentinel",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_end_of_file = {
	"process {pid} {waits} at {wait_at} for {awaited}, which reads from a pipe: only processes "
	"that wait have its write end open, so neither data nor the end of file comes",
	{STEP_ALL_BLOCKED},
};

#define FIX_END_OF_FILE                                                                            \
	"close the write end before you wait for the reader, in the reader, too: the end of file " \
	"comes when no process has it open (Popen: communicate(), or stdin.close())"

/* Whether what reads is no queue or connection of multiprocessing, whose readers take items. */
static bool reads_bytes(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *reader = deadlock_waiter(facts, deadlock, MPSAN_WAIT_PIPE_READ);

	return reader && reader->frames.what == AWAITED_NOTHING &&
	       !deadlock_waiter(facts, deadlock, MPSAN_LOCK_SEMAPHORE);
}

void rule_missing_sentinel(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) != RULE_missing_sentinel)
		return;
	if (reads_bytes(facts, deadlock))
		finding_add(out, trigger,
			    (struct finding){.rule = RULE_missing_sentinel,
					     .grade = GRADE_ERROR,
					     .message_text = &msg_end_of_file,
					     .title = "a process waits for the end of one that "
						      "reads to the end of a pipe",
					     .fix = FIX_END_OF_FILE});
	else
		FIND(out, missing_sentinel, GRADE_ERROR, trigger, FACT_NONE, FACT_NONE,
		     &message_text);
}
