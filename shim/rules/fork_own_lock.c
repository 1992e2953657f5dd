/*
 * fork-own-lock: a recursive or error-checking mutex knows its owner by thread id, and the forking thread has
 * another id in the child: its unlock is refused there, and to lock again blocks for ever.
 */
#include "../core/rule.h"

static void tell_fork(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[moment->index];
	bool lives = fact_fate(facts, fork) == FATE_LIVES;

	for (uint32_t i = fork->held_begin; i < fork->held_end; i++) {
		const struct fact_held *held = &facts->helds[i];

		if (held->fork != moment->index || held->ev.holder != fork->at.tid || !fact_held_counts(held))
			continue;
		out->add(out, FINDING(fork_own_lock, moment, moment->index, i, .grade = lives ? GRADE_WARNING : GRADE_NOTE,
				      .message = "{forker} called {how} at {fork_at} while it held {lock}, which knows "
						 "its owner by thread id: the child {child} cannot unlock it",
				      STEPS({ STEP_HOLDER, "{holder} took {lock} at {holder_at}" },
					    { STEP_FORK, "the same thread called {how}" })));
	}
}

static void tell_wait(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[moment->index];
	uint32_t fork = fact_fork_behind(facts, wait->held, wait->at.by);

	if (wait->ev.reason != MPSAN_WAIT_OWN || wait->ev.flags & (MPSAN_LF_SHARED | MPSAN_LF_TIMED))
		return;
	out->add(out, FINDING(fork_own_lock, moment, fork, wait->held, .grade = GRADE_ERROR,
			      .message = "process {pid} waits for ever at {wait_at} for {lock}, which its own thread "
					 "took before the fork at {fork_at} under another thread id",
			      STEPS({ STEP_HOLDER, "{holder} took {lock} at {holder_at}" },
				    { STEP_FORK, "the same thread called {how}" },
				    { STEP_WAIT, "{thread} of the child {pid} waits for {lock}" })));
}

static void tell_unlock(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_unlock *unlock = &facts->unlocks[moment->index];
	uint32_t fork = fact_fork_behind(facts, unlock->held, unlock->at.by);

	if (unlock->ev.flags & MPSAN_LF_SHARED)
		return;
	out->add(out, FINDING(fork_own_lock, moment, fork, unlock->held, .grade = GRADE_ERROR,
			      .message = "process {pid} could not unlock {lock} at {wait_at}: it was taken before the "
					 "fork at {fork_at} under another thread id, and stays locked",
			      STEPS({ STEP_HOLDER, "{holder} took {lock} at {holder_at}" },
				    { STEP_FORK, "the same thread called {how}" },
				    { STEP_UNLOCK, "the unlock by {thread} of the child {pid} was refused" })));
}

void rule_fork_own_lock(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	if (moment->kind == MOMENT_FORK)
		tell_fork(facts, moment, out);
	else if (moment->kind == MOMENT_WAIT)
		tell_wait(facts, moment, out);
	else
		tell_unlock(facts, moment, out);
}
