/*
 * Stories about the rules that speak when a wait has lasted or an unlock was refused. Neighbours:
 * story_facts.h, test_rules_fork.c.
 */
#include "story_facts.h"

static struct world world;

static int begin(void **state)
{
	(void)state;
	world_init(&world);
	return 0;
}

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
	assert_int_equal(verdict.last[0].held, 0);
	assert_int_equal(verdict.last[0].fork, 0);
	assert_int_equal(verdict.last[0].wait, 0);
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
	assert_int_equal(verdict.last[0].held, FACT_NONE);
	assert_int_equal(verdict.last[0].fork, 0);
}

static void orphaned_lock_is_silent_about_waits_that_can_end(void **state)
{
	static const uint64_t flags[] = {MPSAN_LF_SHARED, MPSAN_LF_TIMED, MPSAN_LF_HANDOFF};

	(void)state;
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_SEMAPHORE,
			   MPSAN_LF_VERIFIED | flags[i]);
		assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
	}
}

static void orphaned_semaphore_is_proved_as_a_lock_or_with_nobody_to_post(void **state)
{
	(void)state;
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_WAIT, fork_orphaned_lock, GRADE_ERROR);
	world.wait.ev.threads = 2;
	assert_grade(&world, TRIGGER_WAIT, fork_orphaned_lock, GRADE_WARNING);
	world.wait.ev.flags |= MPSAN_LF_MUTUAL;
	assert_grade(&world, TRIGGER_WAIT, fork_orphaned_lock, GRADE_ERROR);
}

static void own_lock_is_proved_by_the_wait(void **state)
{
	(void)state;
	world_hold(&world, MAIN_THREAD, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_RECURSIVE);
	world_wait(&world, MPSAN_WAIT_OWN, MPSAN_LOCK_MUTEX,
		   MPSAN_LF_VERIFIED | MPSAN_LF_RECURSIVE);
	assert_grade(&world, TRIGGER_WAIT, fork_own_lock, GRADE_ERROR);
	world.wait.ev.flags |= MPSAN_LF_TIMED;
	assert_grade(&world, TRIGGER_WAIT, fork_own_lock, GRADE_OFF);
}

static void own_lock_is_proved_by_the_refused_unlock(void **state)
{
	(void)state;
	world_hold(&world, MAIN_THREAD, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_ERRORCHECK);
	world.unlock =
		(struct fact_unlock){.at = {CHILD, CHILD, 200, 8192, 11 * SECOND},
				     .ev = {.lock = 0x1000, .kind = MPSAN_LOCK_MUTEX, .error = 1}};
	world.facts.unlock_count = 1;
	assert_grade(&world, TRIGGER_UNLOCK, fork_own_lock, GRADE_ERROR);
	world.unlock.ev.flags = MPSAN_LF_SHARED;
	assert_grade(&world, TRIGGER_UNLOCK, fork_own_lock, GRADE_OFF);
}

static void self_deadlock_fires(void **state)
{
	(void)state;
	world_wait(&world, MPSAN_WAIT_SELF, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_WAIT, self_deadlock, GRADE_ERROR);
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 1);
}

static void self_deadlock_is_silent_about_waits_with_a_limit(void **state)
{
	(void)state;
	world_wait(&world, MPSAN_WAIT_SELF, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_TIMED);
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(orphaned_lock_fires_for_every_kind_of_lock),
		STORY(orphaned_lock_tells_who_held_forked_and_waits),
		STORY(orphaned_lock_finds_the_fork_of_an_unfollowed_lock),
		STORY(orphaned_lock_is_silent_about_waits_that_can_end),
		STORY(orphaned_semaphore_is_proved_as_a_lock_or_with_nobody_to_post),
		STORY(own_lock_is_proved_by_the_wait),
		STORY(own_lock_is_proved_by_the_refused_unlock),
		STORY(self_deadlock_fires),
		STORY(self_deadlock_is_silent_about_waits_with_a_limit),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
