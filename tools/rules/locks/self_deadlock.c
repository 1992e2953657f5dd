/* SPDX-License-Identifier: Apache-2.0 */
/*
 * self-deadlock: a thread waits without a time limit for a lock that it owns according to the
 * lock's memory, or to its own frames; or for a file that its process has locked itself.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"{thread} {waits} at {wait_at}{handler}| for |{lock}, which it {probably}already holds[{own}]",
	{{STEP_HOLDER, "{thread} {probably}already held {lock}{own}"},
	 {STEP_WAIT,
	  "{thread} of process {pid} at {wait_at} waits for {lock}, which it {probably}holds itself"}},
};

static MESSAGE msg_blocked = {
	"{thread} {waits} at {wait_at}{handler}| for |{lock}, which it already holds[{own}]",
	{{STEP_HOLDER, "{thread} already held {lock}{own}"}, STEP_ALL_BLOCKED},
};

static MESSAGE msg_blocked_across = {
	"[{thread} of ]process {pid} {waits} at {wait_at}{handler}| for |{lock}, which it already holds[{own}]",
	{{STEP_HOLDER, "{thread} of process {pid} already held {lock}{own}"}, STEP_ALL_BLOCKED},
};

static MESSAGE msg_file = {
	"[{thread} of ]process {pid} {waits} at {wait_at}{handler}| for |{awaited}: the process itself has that file "
	"locked, through another descriptor",
	{STEP_ALL_BLOCKED},
};

static const struct finding of_file = {
	.rule = RULE_self_deadlock,
	.grade = GRADE_ERROR,
	.message_text = &msg_file,
	.title = "a process waits for a file lock that it holds itself",
	.fix = "such a lock belongs to the open file, not to the process: open the file once and lock that "
	       "descriptor or a copy of it, or close the first one, which releases its lock, before the "
	       "file is locked again; keep a flag where code that locks may be entered twice",
};

static const struct finding of_upgrade = {
	.rule = RULE_self_deadlock,
	.grade = GRADE_ERROR,
	.message_text = &message_text,
	.title = "a thread that reads waits for its own read lock to write",
	.fix = "a read lock does not become a write lock: release it before you take the write lock, and look again at "
	       "what you read, or take the write lock from the start",
};

static const struct finding of_initialiser = {
	.rule = RULE_self_deadlock,
	.grade = GRADE_ERROR,
	.title = "an initialiser needs what it initialises",
	.fix = "let the initialiser, and what it calls, never ask for what it initialises: hand it on as an argument",
};

static bool is_upgrade(const struct facts *facts, const struct fact_wait *wait)
{
	return wait->ev.kind == MPSAN_LOCK_RWLOCK_WRITE && wait->held != FACT_NONE &&
	       facts->helds[wait->held].ev.kind == MPSAN_LOCK_RWLOCK_READ;
}

static void judge_wait(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];

	if (rule_of_wait(facts, wait) != RULE_self_deadlock)
		return;
	if (is_upgrade(facts, wait)) {
		struct finding upgrade = of_upgrade;

		upgrade.held = wait->held + 1;
		finding_add(out, trigger, upgrade);
		return;
	}
	FIND(out, self_deadlock, GRADE_ERROR, trigger, FACT_NONE, wait->held, &message_text);
}

static const struct finding of_any = {.rule = RULE_self_deadlock, .grade = GRADE_ERROR};

static struct finding of_blocked(const struct facts *facts, const struct fact_deadlock *deadlock)
{
	uint64_t kind = deadlock_subject(facts, deadlock)->ev.kind;
	/* who has a lock for writing gets EDEADLK */
	struct finding finding = kind == MPSAN_LOCK_RWLOCK_WRITE ? of_upgrade :
				 kind == MPSAN_LOCK_ONCE	 ? of_initialiser :
								   of_any;

	finding.message_text = deadlock_is_across(facts, deadlock) ? &msg_blocked_across :
								     &msg_blocked;
	return finding;
}

static void judge_deadlock(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) != RULE_self_deadlock)
		return;
	finding_add(out, trigger,
		    deadlock_file_twice(facts, deadlock) ? of_file : of_blocked(facts, deadlock));
}

void rule_self_deadlock(const struct facts *facts, const struct trigger *trigger,
			struct findings *out)
{
	if (trigger->kind == TRIGGER_WAIT)
		judge_wait(facts, trigger, out);
	else
		judge_deadlock(facts, trigger, out);
}
