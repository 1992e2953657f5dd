/*
 * Stories of fork-server-threads.
 * Neighbours: story_fork.h, tools/rules/fork/fork_server_threads.c.
 */
#include "story_fork.h"

static void set_argv(uint32_t slot, const char *argv, uint32_t bytes)
{
	memcpy(world.slot[slot].argv, argv, bytes);
	world.slot[slot].argv_bytes = bytes;
}

static const char server[] =
	"python3\0-c\0from multiprocessing.forkserver import main; main(3, 4, [])";

static void server_threads_fires(void **state)
{
	(void)state;
	set_argv(PARENT, server, sizeof(server));
	assert_grade(&world, TRIGGER_FORK, fork_server_threads, GRADE_WARNING);
}

static void server_threads_is_silent_about_one_thread_and_about_workers(void **state)
{
	(void)state;
	set_argv(PARENT, server, sizeof(server));
	world.fork.ev.threads = 1;
	assert_grade(&world, TRIGGER_FORK, fork_server_threads, GRADE_OFF);
	world.fork.ev.threads = 2;
	world.slot[PARENT].how =
		MPSAN_HOW_FORK; /* a worker: forked by the server, with its arguments */
	assert_grade(&world, TRIGGER_FORK, fork_server_threads, GRADE_OFF);
	world.slot[PARENT].how = MPSAN_HOW_ROOT;
	set_argv(PARENT, "python3\0x.py", 13);
	assert_grade(&world, TRIGGER_FORK, fork_server_threads, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(server_threads_fires),
		STORY(server_threads_is_silent_about_one_thread_and_about_workers),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
