/* Stories of fork-queue-feeder. Neighbours: story_fork.h, tools/rules/fork/fork_queue_feeder.c. */
#include "story_fork.h"

static void queue_feeder_fires(void **state)
{
	(void)state;
	world.fork.ev.feeder = 1;
	assert_grade(&world, TRIGGER_FORK, fork_queue_feeder, GRADE_NOTE);
	world.fork.ev.flags = MPSAN_FORK_FEEDER_BUSY;
	assert_grade(&world, TRIGGER_FORK, fork_queue_feeder, GRADE_WARNING);
}

static void queue_feeder_is_silent_without_one_or_before_exec(void **state)
{
	(void)state;
	assert_grade(&world, TRIGGER_FORK, fork_queue_feeder, GRADE_OFF);
	world.fork.ev.feeder = 1;
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_queue_feeder, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(queue_feeder_fires),
		STORY(queue_feeder_is_silent_without_one_or_before_exec),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
