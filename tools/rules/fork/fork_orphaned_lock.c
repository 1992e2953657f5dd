/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-orphaned-lock: a forked child waits for a private lock whose owner is a thread of its
 * parent. That thread was not copied, so the wait never ends. For a semaphore or a lock of Python's this is
 * proven only if the child has no other thread that could post it, or the supervisor sees that none will; and
 * never if a signal handler could post it or end the wait.
 */
#include "../rule.h"

static MESSAGE message_text = {
	"process {pid} {waits} at {wait_at}| for |{lock}: {holder} {probably}held it[, {taken},] and exists only in "
	"the parent[, which forked at {fork_at}]",
	{STEP_HOLDER_HELD, STEP_FORK_WITHOUT_HOLDER, STEP_CHILD_WAITS},
};

static MESSAGE msg_doubt = {
	"process {pid} waits at {wait_at}| for |{lock}: {holder} {probably}held it[, {taken},] and exists only in the "
	"parent[, which forked at {fork_at}]; only a signal handler or another thread could end the wait",
	{STEP_HOLDER_HELD, STEP_FORK_WITHOUT_HOLDER, STEP_CHILD_WAITS},
};

#define FIX_THREAD                                                                                \
	"start {holder} after the fork at {fork_at}{python|, or {spawn}; replace a lock of your " \
	"own in the child (os.register_at_fork)}{native|, or exec in the child; or take the "     \
	"lock in a pthread_atfork prepare handler, and release it in parent and child}"

/* A thread that the program can start later; NULL: the main thread, or it is not known. */
static const char *fix_of(const struct facts *facts, uint32_t held)
{
	const struct fact_held *hold = held < facts->held_count ? &facts->helds[held] : NULL;

	return hold && hold->ev.holder != facts->processes[hold->at.by].slot->pid ? FIX_THREAD :
										    NULL;
}

void rule_fork_orphaned_lock(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];
	bool proved = fact_wait_is_proof(wait);

	if (rule_of_wait(facts, wait) != RULE_fork_orphaned_lock ||
	    wait->ev.flags & MPSAN_LF_HANDOFF)
		return;
	finding_add(out, trigger,
		    (struct finding){.rule = RULE_fork_orphaned_lock,
				     .grade = proved ? GRADE_ERROR : GRADE_WARNING,
				     .message_text = proved ? &message_text : &msg_doubt,
				     .fork = fact_fork_behind(facts, wait->held, wait->at.by) + 1,
				     .held = wait->held + 1,
				     .fix = fix_of(facts, wait->held)});
}
