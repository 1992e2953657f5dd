/* Stories of fork-thread-pool. Neighbours: story_fork.h, tools/rules/fork/fork_thread_pool.c. */
#include "story_fork.h"

static void thread_pool_fires_for_a_library(void **state)
{
	(void)state;
	alone_on(MPSAN_WAIT_COND, 0);
	world.wait.in_library = true;
	world.wait.pool_threads = 3;
	assert_only(RULE_fork_thread_pool, GRADE_ERROR);
	world.wait.ev.flags = MPSAN_LF_SIGNALS;
	assert_only(RULE_fork_thread_pool, GRADE_WARNING);
}

static void thread_pool_is_silent_about_a_library_without_threads(void **state)
{
	(void)state;
	alone_on(MPSAN_WAIT_COND, 0);
	world.wait.in_library = true;
	assert_only(RULE_fork_lost_wakeup, GRADE_ERROR);
}

static void thread_pool_fires_before_the_region_blocks(void **state)
{
	struct verdict verdict;

	(void)state;
	world_wait(&world, MPSAN_WAIT_TEAM, MPSAN_WAIT_POOL, MPSAN_LF_VERIFIED);
	verdict = announce(&world, TRIGGER_WAIT);
	assert_int_equal(verdict.count, 1);
	assert_int_equal(grade_of(&verdict, RULE_fork_thread_pool), GRADE_ERROR);
	assert_int_equal(verdict.last[0].fork, 1);
}

static void thread_pool_is_silent_about_other_waits(void **state)
{
	static const uint64_t reasons[] = {MPSAN_WAIT_ORPHAN, MPSAN_WAIT_SELF, MPSAN_WAIT_OWN};

	(void)state;
	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		world_wait(&world, reasons[i], MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
		assert_grade(&world, TRIGGER_WAIT, fork_thread_pool, GRADE_OFF);
	}
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(thread_pool_fires_for_a_library),
		STORY(thread_pool_is_silent_about_a_library_without_threads),
		STORY(thread_pool_fires_before_the_region_blocks),
		STORY(thread_pool_is_silent_about_other_waits),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
