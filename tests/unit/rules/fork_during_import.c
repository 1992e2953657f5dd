/*
 * Stories of fork-during-import.
 * Neighbours: story_fork.h, tools/rules/fork/fork_during_import.c.
 */
#include "story_fork.h"

/* A worker imports a module at the fork. */
static void importing(void)
{
	world_hold(&world, WORKER, MPSAN_LOCK_IMPORT, MPSAN_LF_VERIFIED | MPSAN_LF_PYTHON);
}

static void during_import_is_proved_by_the_wait(void **state)
{
	(void)state;
	importing();
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_IMPORT, MPSAN_LF_PYTHON);
	assert_only(RULE_fork_during_import, GRADE_ERROR);
	world.wait.ev.threads = 2; /* which may be at that import itself */
	assert_only(RULE_fork_during_import, GRADE_WARNING);
	world.wait.ev.reason = MPSAN_WAIT_ALONE;
	world.wait.ev.threads = 1;
	world.wait.held = FACT_NONE;
	assert_only(RULE_fork_during_import, GRADE_ERROR);
}

static void during_import_warns_at_the_fork(void **state)
{
	(void)state;
	importing();
	assert_grade(&world, TRIGGER_FORK, fork_during_import, GRADE_WARNING);
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_OFF);
	world.process[CHILD].gone = true;
	world.process[CHILD].gone_ns = 10 * SECOND + 1000;
	assert_grade(&world, TRIGGER_FORK, fork_during_import, GRADE_NOTE);
}

static void during_import_notes_an_import_of_the_forking_thread(void **state)
{
	(void)state;
	world.fork.ev.flags = MPSAN_FORK_IMPORTING;
	assert_grade(&world, TRIGGER_FORK, fork_during_import, GRADE_NOTE);
}

static void during_import_is_silent_before_exec_and_about_repairs(void **state)
{
	(void)state;
	importing();
	world.held.repaired = true;
	assert_grade(&world, TRIGGER_FORK, fork_during_import, GRADE_OFF);
	world.held.repaired = false;
	world.fork.ev.flags = MPSAN_FORK_IMPORTING;
	world.process[CHILD].exec_ns = 10 * SECOND + 1000;
	assert_grade(&world, TRIGGER_FORK, fork_during_import, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(during_import_is_proved_by_the_wait),
		STORY(during_import_warns_at_the_fork),
		STORY(during_import_notes_an_import_of_the_forking_thread),
		STORY(during_import_is_silent_before_exec_and_about_repairs),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
