/*
 * Stories of missing-sentinel.
 * Neighbours: story_deadlock.h, tools/rules/workers/missing_sentinel.c.
 */
#include "story_deadlock.h"

#define OTHER 2u /* a process of which nothing is known */

static void sentinel_fires_on_a_join_of_readers(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	blocked[1].at.by = blocked[2].at.by = CHILD;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, missing_sentinel, GRADE_ERROR);
	assert_alone(RULE_missing_sentinel);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_ERROR);
	assert_alone(RULE_missing_sentinel);
}

static void sentinel_is_silent_without_a_join_or_a_reader(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_OFF);
	blocked[0].ev.kind = MPSAN_WAIT_PROCESS;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, missing_sentinel, GRADE_OFF);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	assert_deadlock(MPSAN_DEADLOCK_LONG, missing_sentinel, GRADE_OFF);
}

static void sentinel_is_silent_when_only_a_helper_reads(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	blocked[2].at.by = CHILD;
	world.slot[CHILD].argv_bytes = (uint32_t)strlen(strcpy(
		world.slot[CHILD].argv, "from multiprocessing.resource_tracker import main"));
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_OFF);
	assert_alone(RULE_deadlock_cycle);
}

/* The child waits for something else. */
static void sentinel_is_silent_when_only_a_thread_of_the_parent_reads(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	blocks(MPSAN_LOCK_MUTEX, 0);
	blocked[2].at.by = CHILD;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_OFF);
	assert_alone(RULE_deadlock_cycle);
}

/* The child reads what a third process would send, which waits for a lock of the process that joins. */
static void sentinel_is_silent_when_the_sender_lacks_a_lock(void **state)
{
	struct ev_blocked *lock;

	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	lock = blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	blocked[1].at.by = CHILD;
	blocked[2].at.by = OTHER;
	lock->owner = MAIN_THREAD;
	lock->owner_slot = PARENT + 1;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_OFF);
	assert_alone(RULE_deadlock_cycle);
}

/* A process reads of which no role is known: those that are joined have each other's locks. */
static void sentinel_is_silent_where_locks_explain_the_deadlock(void **state)
{
	struct ev_blocked *one, *two;

	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	one = blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	two = blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	blocked[1].at.by = OTHER;
	blocked[2].at.by = CHILD;
	blocked[2].at.tid = MAIN_THREAD + 2;
	blocked[3].at.by = OTHER;
	blocked[3].at.tid = MAIN_THREAD + 3;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, missing_sentinel, GRADE_ERROR);
	one->owner = MAIN_THREAD + 3;
	two->owner = MAIN_THREAD + 2;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, missing_sentinel, GRADE_OFF);
	assert_alone(RULE_deadlock_cycle);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_OFF);
}

/* They wait for each other, and not for the one that joins them. */
static void sentinel_is_silent_when_whoever_could_send_reads(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, MPSAN_LF_READERS);
	blocks(MPSAN_WAIT_PIPE_READ, MPSAN_LF_READERS);
	blocked[1].at.by = CHILD;
	blocked[2].at.by = OTHER;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_OFF);
	assert_alone(RULE_deadlock_cycle);
}

/* Somebody else would send. */
static void sentinel_fires_beside_one_that_lacks_a_lock(void **state)
{
	struct ev_blocked *lock, *reader;

	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	reader = blocks(MPSAN_WAIT_PIPE_READ, 0);
	lock = blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	blocked[1].at.by = CHILD;
	blocked[2].at.by = OTHER;
	reader->owner_slot = PARENT + 1;
	lock->owner = MAIN_THREAD;
	lock->owner_slot = PARENT + 1;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_ERROR);
	assert_alone(RULE_missing_sentinel);
}

static const char *fix_of(void)
{
	return announce(&world, TRIGGER_DEADLOCK).last[0].fix;
}

/* communicate() is for commands, and nobody need close an end that the reader alone keeps open. */
static void sentinel_has_a_fix_for_each_reader(void **state)
{
	struct ev_blocked *reader;

	(void)state;
	world.slot[PARENT].python = 0x030b02f0;
	blocks(MPSAN_WAIT_PROCESS, 0);
	reader = blocks(MPSAN_WAIT_PIPE_READ, 0);
	blocked[1].at.by = CHILD;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_ERROR);
	assert_non_null(strstr(fix_of(), "close the write end before you wait"));
	assert_null(strstr(fix_of(), "communicate"));
	reader->owner_slot = CHILD + 1;
	assert_non_null(strstr(fix_of(), "in the process that reads"));
	reader->owner_slot = PARENT + 1;
	world.process[CHILD].exec_ns = 11 * SECOND;
	assert_non_null(strstr(fix_of(), "communicate"));
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(sentinel_has_a_fix_for_each_reader),
		STORY(sentinel_fires_on_a_join_of_readers),
		STORY(sentinel_is_silent_without_a_join_or_a_reader),
		STORY(sentinel_is_silent_when_only_a_helper_reads),
		STORY(sentinel_is_silent_when_only_a_thread_of_the_parent_reads),
		STORY(sentinel_is_silent_when_the_sender_lacks_a_lock),
		STORY(sentinel_is_silent_where_locks_explain_the_deadlock),
		STORY(sentinel_is_silent_when_whoever_could_send_reads),
		STORY(sentinel_fires_beside_one_that_lacks_a_lock),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
