/* Stories of fork-libc-lock. Neighbours: story_fork.h, tools/rules/fork/fork_libc_lock.c. */
#include "story_fork.h"

/* The supervisor saw the child's main thread blocked inside libc. */
static struct verdict announce_deadlock(uint64_t kind, uint64_t cause)
{
	static struct fact_blocked blocked;
	static struct fact_deadlock deadlock;

	blocked = (struct fact_blocked){.at = {CHILD, CHILD, 200, 9000, 12 * SECOND},
					.ev = {.lock = 0x7f0000001000, .kind = kind}};
	deadlock = (struct fact_deadlock){.at = {CHILD, CHILD, 200, 9064, 12 * SECOND},
					  .ev = {.cause = cause, .count = 1},
					  .end = 1};
	world.facts.blockeds = &blocked;
	world.facts.blocked_count = 1;
	world.facts.deadlocks = &deadlock;
	world.facts.deadlock_count = 1;
	return announce(&world, TRIGGER_DEADLOCK);
}

static void world_inside(void)
{
	world_hold(&world, WORKER, MPSAN_LOCK_LIBC, MPSAN_LF_VERIFIED);
}

static void libc_lock_fires_as_a_note_at_the_fork(void **state)
{
	struct verdict verdict;

	(void)state;
	world_inside();
	verdict = announce(&world, TRIGGER_FORK);
	assert_int_equal(grade_of(&verdict, RULE_fork_libc_lock), GRADE_NOTE);
	assert_int_equal(grade_of(&verdict, RULE_fork_lock_held), GRADE_OFF);
	assert_int_equal(grade_of(&verdict, RULE_fork_own_lock), GRADE_OFF);
}

static void libc_lock_notes_a_call_that_lasts(void **state)
{
	struct verdict verdict;

	(void)state;
	world_inside();
	world_wait(&world, MPSAN_WAIT_INSIDE, MPSAN_LOCK_LIBC, MPSAN_LF_VERIFIED);
	verdict = announce(&world, TRIGGER_WAIT);
	assert_int_equal(verdict.count, 1);
	assert_int_equal(grade_of(&verdict, RULE_fork_libc_lock), GRADE_NOTE);
	assert_int_equal(verdict.last[0].held, 1);
	assert_int_equal(verdict.last[0].fork, 1);
}

static void libc_lock_is_proved_without_its_holder(void **state)
{
	struct verdict verdict;

	(void)state;
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_LIBC, MPSAN_LF_VERIFIED);
	verdict = announce(&world, TRIGGER_WAIT);
	assert_int_equal(verdict.count, 1);
	assert_int_equal(grade_of(&verdict, RULE_fork_libc_lock), GRADE_ERROR);
	assert_non_null(strstr(verdict.last[0].message_text->message, "the thread that had it"));
}

static void libc_lock_is_proved_by_the_blocked_thread(void **state)
{
	struct verdict verdict;

	(void)state;
	world_inside();
	world_wait(&world, MPSAN_WAIT_INSIDE, MPSAN_LOCK_LIBC, MPSAN_LF_VERIFIED);
	verdict = announce_deadlock(MPSAN_LOCK_LIBC, MPSAN_DEADLOCK_DEAD_END);
	assert_int_equal(verdict.count, 0); /* the deadlock is the proof of the wait */
	world.wait.proved = true;
	verdict = announce(&world, TRIGGER_WAIT);
	assert_int_equal(grade_of(&verdict, RULE_fork_libc_lock), GRADE_ERROR);
	assert_int_equal(verdict.last[0].held, 1);
	assert_int_equal(verdict.last[0].fork, 1);
}

static void libc_lock_is_silent_about_other_deadlocks(void **state)
{
	struct verdict verdict;

	(void)state;
	world_inside();
	world_wait(&world, MPSAN_WAIT_INSIDE, MPSAN_LOCK_LIBC, MPSAN_LF_VERIFIED);
	verdict = announce_deadlock(MPSAN_LOCK_MUTEX, MPSAN_DEADLOCK_DEAD_END);
	assert_int_equal(grade_of(&verdict, RULE_fork_libc_lock), GRADE_OFF);
	verdict = announce_deadlock(MPSAN_LOCK_LIBC, MPSAN_DEADLOCK_LONG);
	assert_int_equal(grade_of(&verdict, RULE_fork_libc_lock), GRADE_OFF);
	world.wait.end_ns = 12 * SECOND;
	verdict = announce_deadlock(MPSAN_LOCK_LIBC, MPSAN_DEADLOCK_DEAD_END);
	assert_int_equal(grade_of(&verdict, RULE_fork_libc_lock), GRADE_OFF);
}

static void libc_lock_is_silent_after_an_exec(void **state)
{
	(void)state;
	world_inside();
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_libc_lock, GRADE_OFF);
}

static void libc_lock_is_silent_about_real_locks(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_FORK, fork_libc_lock, GRADE_OFF);
	assert_grade(&world, TRIGGER_WAIT, fork_libc_lock, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(libc_lock_fires_as_a_note_at_the_fork),
		STORY(libc_lock_notes_a_call_that_lasts),
		STORY(libc_lock_is_proved_without_its_holder),
		STORY(libc_lock_is_proved_by_the_blocked_thread),
		STORY(libc_lock_is_silent_about_other_deadlocks),
		STORY(libc_lock_is_silent_after_an_exec),
		STORY(libc_lock_is_silent_about_real_locks),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
