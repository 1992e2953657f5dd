/* Stories of self-deadlock. Neighbours: story_deadlock.h, tools/rules/locks/self_deadlock.c. */
#include "story_deadlock.h"

static void a_thread_waits_for_itself(uint64_t kind)
{
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	blocked[0].ev.kind = kind;
	blocked[0].ev.owner = blocked[0].at.tid;
	blocked[0].ev.owner_slot = blocked[0].at.by + 1;
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

static void self_deadlock_fires_on_circles_of_one_thread(void **state)
{
	(void)state;
	a_thread_waits_for_itself(MPSAN_LOCK_SEMAPHORE);
	assert_grade(&world, TRIGGER_DEADLOCK, self_deadlock, GRADE_ERROR);
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 1);
	blocked[0].ev.owner++;
	assert_grade(&world, TRIGGER_DEADLOCK, self_deadlock, GRADE_OFF);
}

static void the_cure_fits_how_the_lock_came_to_be_held(void **state)
{
	(void)state;
	a_thread_waits_for_itself(MPSAN_LOCK_RWLOCK_WRITE);
	assert_non_null(strstr(announce(&world, TRIGGER_DEADLOCK).last[0].fix,
			       "does not become a write lock"));
	blocked[0].ev.kind = MPSAN_LOCK_SEMAPHORE; /* by the frames: evidence/reentry.h */
	assert_null(announce(&world, TRIGGER_DEADLOCK).last[0].fix);
}

static void a_file_locked_twice_is_told_as_one_and_with_its_own_cure(void **state)
{
	struct verdict verdict;

	(void)state;
	blocks(MPSAN_WAIT_FILE_LOCK, 0)->owner_slot = PARENT + 1;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, self_deadlock, GRADE_ERROR);
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_int_equal(verdict.count, 1);
	assert_non_null(strstr(verdict.last[0].fix, "belongs to the open file"));
}

static void who_waits_for_such_a_process_does_not_matter(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocked[0].at.by = CHILD;
	blocks(MPSAN_WAIT_FILE_LOCK, 0)->owner_slot = PARENT + 1;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, self_deadlock, GRADE_ERROR);
	assert_ptr_equal(deadlock_subject(&world.facts, &deadlock), &blocked[1]);
}

static void another_thread_or_process_may_have_locked_the_file(void **state)
{
	(void)state;
	two_threads_wait();
	blocked[0].ev.kind = MPSAN_WAIT_FILE_LOCK;
	blocked[0].ev.owner_slot = PARENT + 1;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, deadlock_cycle, GRADE_ERROR);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, self_deadlock, GRADE_OFF);
	blocked[1].at.by = CHILD;
	blocked[0].ev.owner_slot = CHILD + 1;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, self_deadlock, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(self_deadlock_fires),
		STORY(self_deadlock_is_silent_about_waits_with_a_limit),
		STORY(self_deadlock_fires_on_circles_of_one_thread),
		STORY(the_cure_fits_how_the_lock_came_to_be_held),
		STORY(a_file_locked_twice_is_told_as_one_and_with_its_own_cure),
		STORY(who_waits_for_such_a_process_does_not_matter),
		STORY(another_thread_or_process_may_have_locked_the_file),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
