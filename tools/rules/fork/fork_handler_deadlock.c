/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-handler-deadlock: atfork handlers run inside fork, in the parent and in the child. One that
 * waits for a thread that was not copied never returns, and a lock that a prepare handler takes
 * must be released on both sides.
 */
#include "../rule.h"

static const char waits[] = "{thread} of process {pid} waits for {lock}";
static const char held[] = "{holder} {probably}held {lock}, {taken}";
static const char forked[] = "{forker} of process {parent} called {how}";

static MESSAGE msg_orphan = {
	"process {pid} {waits} at {wait_at}| for |{lock}[, in an atfork handler of the fork at {fork_at}]: {holder} "
	"{probably}held it[, {taken},] and exists only in the parent",
	{{STEP_HOLDER, held}, {STEP_FORK, forked}, {STEP_WAIT, waits}},
};

static MESSAGE msg_alone = {
	"process {pid} {waits} at {wait_at}| for |{lock}[, in an atfork handler of the fork at {fork_at}]: no thread "
	"of the child could end the wait",
	{{STEP_FORK, forked}, {STEP_WAIT, waits}},
};

static MESSAGE msg_self = {
	"{thread} {waits} at {wait_at}| for |{lock}, in an atfork handler: it already held that lock when it called "
	"fork",
	{{STEP_HOLDER, "{holder} already held {lock}, {taken}"}, {STEP_WAIT, waits}},
};

static MESSAGE msg_kept = {
	"{thread} {waits} at {wait_at}| for |{lock}, which an atfork handler took at the fork at {fork_at} and did "
	"not release in the parent",
	{{STEP_FORK, forked}, {STEP_WAIT, waits}},
};

static MESSAGE msg_doubt = {
	"process {pid} waits at {wait_at}| for |{lock}[, in an atfork handler of the fork at {fork_at}]; only a "
	"signal handler or another thread could end the wait",
	{{STEP_HOLDER, held}, {STEP_FORK, forked}, {STEP_WAIT, waits}},
};

static MESSAGE msg_left = {
	"an atfork handler took {lock} at {left_at} and did not release it in the parent {parent}|, |which called "
	"{how} at {fork_at}",
	{{STEP_FORK, forked}},
};

static const struct message_text *fork_handler_deadlock_choose(const struct fact_wait *wait,
							       bool kept)
{
	if (kept)
		return &msg_kept;
	if (!fact_wait_is_proof(wait))
		return &msg_doubt;
	if (wait->ev.reason == MPSAN_WAIT_SELF)
		return &msg_self;
	return wait->ev.reason == MPSAN_WAIT_ALONE ? &msg_alone : &msg_orphan;
}

static void fork_handler_deadlock_judge_wait(const struct facts *facts,
					     const struct trigger *trigger, struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];
	uint32_t left = fact_left_before(facts, wait);
	bool kept = left != FACT_NONE && wait->ev.reason == MPSAN_WAIT_SELF;

	if (rule_of_wait(facts, wait) != RULE_fork_handler_deadlock)
		return;
	FIND(out, fork_handler_deadlock, fact_wait_is_proof(wait) ? GRADE_ERROR : GRADE_WARNING,
	     trigger,
	     kept ? facts->lefts[left].fork : fact_fork_behind(facts, wait->held, wait->at.by),
	     wait->held, fork_handler_deadlock_choose(wait, kept));
}

void rule_fork_handler_deadlock(const struct facts *facts, const struct trigger *trigger,
				struct findings *out)
{
	if (trigger->kind == TRIGGER_WAIT)
		fork_handler_deadlock_judge_wait(facts, trigger, out);
	else if (trigger->kind == TRIGGER_KEPT_LOCK)
		FIND(out, fork_handler_deadlock, GRADE_WARNING, trigger,
		     facts->lefts[trigger->index].fork, FACT_NONE, &msg_left);
}
