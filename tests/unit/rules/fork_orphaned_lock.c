/*
 * Stories of fork-orphaned-lock.
 * Neighbours: story_fork.h, tools/rules/fork/fork_orphaned_lock.c.
 */
#include "story_fork.h"

static void orphaned_lock_fires_for_every_kind_of_lock(void **state)
{
	static const uint64_t kinds[] = {MPSAN_LOCK_MUTEX, MPSAN_LOCK_RWLOCK_READ,
					 MPSAN_LOCK_RWLOCK_WRITE, MPSAN_LOCK_SPIN};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		world_hold(&world, WORKER, kinds[i], MPSAN_LF_VERIFIED);
		world_wait(&world, MPSAN_WAIT_ORPHAN, kinds[i], MPSAN_LF_VERIFIED);
		assert_grade(&world, TRIGGER_WAIT, fork_orphaned_lock, GRADE_ERROR);
	}
}

static void orphaned_lock_tells_who_held_forked_and_waits(void **state)
{
	struct verdict verdict;

	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	verdict = announce(&world, TRIGGER_WAIT);
	assert_int_equal(verdict.count, 1);
	assert_int_equal(verdict.last[0].held, 1);
	assert_int_equal(verdict.last[0].fork, 1);
	assert_int_equal(verdict.last[0].wait, 1);
	assert_int_equal(verdict.last[0].message_text->step[0].role, STEP_HOLDER);
	assert_int_equal(verdict.last[0].message_text->step[1].role, STEP_FORK);
	assert_int_equal(verdict.last[0].message_text->step[2].role, STEP_WAIT);
	assert_null(verdict.last[0].message_text->step[3].what);
}

static void orphaned_lock_finds_the_fork_of_an_unfollowed_lock(void **state)
{
	struct verdict verdict;

	(void)state;
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	verdict = announce(&world, TRIGGER_WAIT);
	assert_int_equal(grade_of(&verdict, RULE_fork_orphaned_lock), GRADE_ERROR);
	assert_int_equal(verdict.last[0].held, 0);
	assert_int_equal(verdict.last[0].fork, 1);
}

static void orphaned_lock_is_silent_about_waits_that_can_succeed(void **state)
{
	static const uint64_t flags[] = {MPSAN_LF_SHARED, MPSAN_LF_HANDOFF};

	(void)state;
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_SEMAPHORE,
			   MPSAN_LF_VERIFIED | flags[i]);
		assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
	}
}

static void orphaned_lock_fires_for_waits_that_give_up(void **state)
{
	(void)state;
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_TIMED);
	assert_grade(&world, TRIGGER_WAIT, fork_orphaned_lock, GRADE_ERROR);
}

static void orphaned_semaphore_is_proved_with_nobody_to_post(void **state)
{
	(void)state;
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_WAIT, fork_orphaned_lock, GRADE_ERROR);
	world.wait.ev.threads = 2;
	assert_grade(&world, TRIGGER_WAIT, fork_orphaned_lock, GRADE_WARNING);
	world.wait.ev.flags |= MPSAN_LF_MUTUAL;
	assert_grade(&world, TRIGGER_WAIT, fork_orphaned_lock, GRADE_WARNING);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(orphaned_lock_fires_for_every_kind_of_lock),
		STORY(orphaned_lock_tells_who_held_forked_and_waits),
		STORY(orphaned_lock_finds_the_fork_of_an_unfollowed_lock),
		STORY(orphaned_lock_is_silent_about_waits_that_can_succeed),
		STORY(orphaned_lock_fires_for_waits_that_give_up),
		STORY(orphaned_semaphore_is_proved_with_nobody_to_post),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
