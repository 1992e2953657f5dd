/* Stories of fork-preexec-fn. Neighbours: story_fork.h, tools/rules/fork/fork_preexec_fn.c. */
#include "story_fork.h"

static void preexec_fn_is_proved_by_the_wait(void **state)
{
	(void)state;
	world.fork.ev.flags = MPSAN_FORK_PREEXEC;
	world_hold(&world, WORKER, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED | MPSAN_LF_MUTUAL);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_MUTUAL);
	assert_only(RULE_fork_preexec_fn, GRADE_ERROR);
	assert_grade(&world, TRIGGER_FORK, fork_preexec_fn, GRADE_OFF); /* it is told already */
	world.wait.ev.flags |= MPSAN_LF_SIGNALS;
	assert_only(RULE_fork_preexec_fn, GRADE_WARNING);
}

static void preexec_fn_warns_before_exec(void **state)
{
	(void)state;
	world.fork.ev.flags = MPSAN_FORK_PREEXEC;
	world.process[CHILD].exec_ns = 10 * SECOND + 1000;
	assert_grade(&world, TRIGGER_FORK, fork_preexec_fn, GRADE_WARNING);
}

static void preexec_fn_is_silent_without_one_or_without_threads(void **state)
{
	(void)state;
	assert_grade(&world, TRIGGER_FORK, fork_preexec_fn, GRADE_OFF);
	world.fork.ev.flags = MPSAN_FORK_PREEXEC;
	world.fork.ev.threads = 1;
	assert_grade(&world, TRIGGER_FORK, fork_preexec_fn, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(preexec_fn_is_proved_by_the_wait),
		STORY(preexec_fn_warns_before_exec),
		STORY(preexec_fn_is_silent_without_one_or_without_threads),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
