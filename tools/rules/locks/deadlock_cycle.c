/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadlock-cycle: threads wait for each other in a cycle of owners; or each remaining thread waits
 * for a wakeup that no thread is left to send.
 */
#include "../dead_ends.h"
#include "../deadlock.h"
#include "../rule.h"

static const char lost_sender[] =
	"{process} {end}|, and |[{thread} of ]process {pid} {waits} at {wait_at} for what it was to "
	"send[; nobody is left who could{open_end}]: {deadlock}";

static MESSAGE msg_lost_sender = {
	lost_sender,
	{STEP_PROCESS_ENDED, STEP_ALL_BLOCKED},
};

static MESSAGE msg_sender_left = {
	lost_sender,
	{{STEP_CAUSE, "{process} {end} here"}, STEP_ALL_BLOCKED},
};

static struct finding of_lost_sender(const struct facts *facts, uint32_t sender)
{
	uint32_t place = fact_event_of(facts, sender, EV_left, FACT_NONE);

	return (struct finding){
		.message_text = place == FACT_NONE ? &msg_lost_sender : &msg_sender_left,
		.title = "a worker ended before it sent what others wait for",
		.fix = "mend the worker's failure first; while you wait for what a worker sends, watch "
		       "the worker: wait for Process.sentinel, too, or use ProcessPoolExecutor, which "
		       "raises BrokenProcessPool",
		.process = sender + 1,
		.cause = place == FACT_NONE ? 0 : place + 1,
	};
}

static const char lost_party[] =
	"{process} {end}|, and |[{thread} of ]process {pid} {waits} at {wait_at}, at a barrier to "
	"which it does not come any more: {deadlock}";

static MESSAGE msg_lost_party = {
	lost_party,
	{STEP_PROCESS_ENDED, STEP_ALL_BLOCKED},
};

static MESSAGE msg_party_left = {
	lost_party,
	{{STEP_CAUSE, "{process} {end} here"}, STEP_ALL_BLOCKED},
};

static struct finding of_lost_party(const struct facts *facts, uint32_t party)
{
	uint32_t place = fact_event_of(facts, party, EV_left, FACT_NONE);

	return (struct finding){
		.message_text = place == FACT_NONE ? &msg_lost_party : &msg_party_left,
		.title = "a barrier waits for a party that has failed",
		.fix = "mend the party's failure first; a party that fails calls abort(), which wakes the "
		       "others; give wait() a timeout",
		.process = party + 1,
		.cause = place == FACT_NONE ? 0 : place + 1,
	};
}

static struct finding of_dead_end(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	struct dead_end row = dead_end_of(facts, deadlock);

	return (struct finding){.message_text = row.message, .title = row.title, .fix = row.fix};
}

/* What the failure of a worker explains, or what the waits come down to. */
static struct finding explain(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	const struct fact_blocked *last = dead_end_last(facts, deadlock);
	bool meets = last->frames.what == AWAITED_PARTIES || last->ev.kind == MPSAN_WAIT_BARRIER;
	uint32_t failed = deadlock_lost_sender(facts, deadlock,
					       meets ? last : deadlock_subject(facts, deadlock));

	if (failed == FACT_NONE)
		return of_dead_end(facts, deadlock);
	return meets ? of_lost_party(facts, failed) : of_lost_sender(facts, failed);
}

void rule_deadlock_cycle(const struct facts *facts, const struct trigger *trigger,
			 struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];
	bool is_circle = deadlock->ev.cause == MPSAN_DEADLOCK_CYCLE;
	struct finding finding;

	if (deadlock_rule(facts, deadlock) != RULE_deadlock_cycle)
		return;
	finding = explain(facts, deadlock);
	finding.rule = RULE_deadlock_cycle;
	finding.grade = is_circle || deadlock_is_certain(facts, deadlock) ? GRADE_ERROR :
									    GRADE_WARNING;
	finding_add(out, trigger, finding);
}
