/*
 * Stories of fork-handler-deadlock.
 * Neighbours: story_fork.h, tools/rules/fork/fork_handler_deadlock.c.
 */
#include "story_fork.h"

/* The parent itself waits, after its fork. */
static void parent_waits(uint64_t flags)
{
	world_wait(&world, MPSAN_WAIT_SELF, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | flags);
	world.wait.at = (struct fact_place){PARENT, PARENT, MAIN_THREAD, 8384, 12 * SECOND};
	world.wait.ev.owner = MAIN_THREAD;
}

static void handler_deadlock_fires_inside_a_handler(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX,
		   MPSAN_LF_VERIFIED | MPSAN_LF_HANDLER);
	assert_only(RULE_fork_handler_deadlock, GRADE_ERROR);
	alone_on(MPSAN_WAIT_COND, MPSAN_LF_HANDLER);
	assert_only(RULE_fork_handler_deadlock, GRADE_ERROR);
	parent_waits(MPSAN_LF_HANDLER);
	assert_only(RULE_fork_handler_deadlock, GRADE_ERROR);
	alone_on(MPSAN_WAIT_COND, MPSAN_LF_HANDLER | MPSAN_LF_SIGNALS);
	assert_only(RULE_fork_handler_deadlock, GRADE_WARNING);
}

static void handler_deadlock_is_proved_by_a_wait_for_a_lock_that_was_kept(void **state)
{
	(void)state;
	world.facts.left_count = 1;
	parent_waits(0);
	assert_only(RULE_fork_handler_deadlock, GRADE_ERROR);
	world.wait.ev.lock = 0x2000; /* another one */
	assert_only(RULE_self_deadlock, GRADE_ERROR);
	world.wait.ev.lock = 0x1000;
	world.wait.at.time_ns = 9 * SECOND; /* before that fork */
	assert_only(RULE_self_deadlock, GRADE_ERROR);
}

static void handler_deadlock_warns_of_a_lock_that_was_kept(void **state)
{
	(void)state;
	world.facts.left_count = 1;
	assert_grade(&world, TRIGGER_KEPT_LOCK, fork_handler_deadlock, GRADE_WARNING);
}

static void handler_deadlock_is_silent_outside_of_handlers(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_only(RULE_fork_orphaned_lock, GRADE_ERROR);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(handler_deadlock_fires_inside_a_handler),
		STORY(handler_deadlock_is_proved_by_a_wait_for_a_lock_that_was_kept),
		STORY(handler_deadlock_warns_of_a_lock_that_was_kept),
		STORY(handler_deadlock_is_silent_outside_of_handlers),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
