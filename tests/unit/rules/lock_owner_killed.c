/*
 * Stories of lock-owner-killed.
 * Neighbours: story_deadlock.h, tools/rules/locks/lock_owner_killed.c.
 */
#include "story_deadlock.h"

static void owner_killed_fires_for_mutexes_and_semaphores_that_are_locks(void **state)
{
	static const uint64_t kinds[] = {MPSAN_LOCK_MUTEX, MPSAN_LOCK_RWLOCK_READ,
					 MPSAN_LOCK_RWLOCK_WRITE, MPSAN_LOCK_SEMAPHORE};

	(void)state;
	blocks(0, MPSAN_LF_SHARED | MPSAN_LF_MUTUAL);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		blocked[0].ev.kind = kinds[i];
		assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, lock_owner_killed, GRADE_ERROR);
		assert_alone(RULE_lock_owner_killed);
	}
}

static void owner_killed_warns_where_another_process_could_release(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, lock_owner_killed, GRADE_WARNING);
}

static void owner_killed_wins_over_the_pipes_of_its_deadlock(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED | MPSAN_LF_MUTUAL);
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, lock_owner_killed, GRADE_ERROR);
	assert_alone(RULE_lock_owner_killed);
}

static void owner_killed_is_silent_about_waits_that_can_end(void **state)
{
	static const uint64_t flags[] = {MPSAN_LF_TIMED, MPSAN_LF_ROBUST, MPSAN_LF_HANDOFF};

	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, 0);
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		blocked[0].ev.flags = MPSAN_LF_SHARED | MPSAN_LF_MUTUAL | flags[i];
		assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, lock_owner_killed, GRADE_OFF);
	}
	blocked[0].ev.flags = MPSAN_LF_MUTUAL;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, lock_owner_killed, GRADE_OFF);
	assert_deadlock(MPSAN_DEADLOCK_LONG, lock_owner_killed, GRADE_OFF);
}

static void owner_killed_needs_no_name_of_the_owner(void **state)
{
	struct verdict verdict;

	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED | MPSAN_LF_MUTUAL);
	deadlock.ev.dead_slot = 0;
	deadlock.ev.cause = MPSAN_DEADLOCK_OWNER_GONE;
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_int_equal(grade_of(&verdict, RULE_lock_owner_killed), GRADE_ERROR);
	assert_non_null(strstr(verdict.last[0].message_text->message, "whoever took it"));
}

static void a_death_without_a_waiter_is_nobodys(void **state)
{
	static const uint64_t causes[] = {0, MPSAN_DEADLOCK_OWNER_GONE, MPSAN_DEADLOCK_WAITER_GONE,
					  MPSAN_DEADLOCK_TASK_LOST, MPSAN_DEADLOCK_LAST + 1};

	(void)state;
	for (unsigned i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		deadlock.ev.cause = causes[i];
		assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(owner_killed_fires_for_mutexes_and_semaphores_that_are_locks),
		STORY(owner_killed_warns_where_another_process_could_release),
		STORY(owner_killed_wins_over_the_pipes_of_its_deadlock),
		STORY(owner_killed_is_silent_about_waits_that_can_end),
		STORY(owner_killed_needs_no_name_of_the_owner),
		STORY(a_death_without_a_waiter_is_nobodys),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
