/*
 * Stories of child-not-joined.
 * Neighbours: story_people.h, tools/rules/workers/child_not_joined.c.
 */
#include "story_people.h"

static void not_joined_warns_of_a_child_that_outlives_its_parent(void **state)
{
	(void)state;
	child_lives_until(16 * SECOND);
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
	process[CHILD].stayed = true;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
	assert_int_equal(tell(TRIGGER_ENDED, CHILD).last[0].fork, 1);
}

static void not_joined_fires_when_shared_memory_stays(void **state)
{
	struct ev_shm_map *map;

	(void)state;
	child_lives_until(16 * SECOND);
	process[CHILD].stayed = true;
	slot[CHILD].end = MPSAN_END_NONE;
	map = act(CHILD, EV_shm_map, 12 * SECOND);
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_ERROR);
	map->device = MPSAN_SHM_MAP_INHERITED;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
	map->device = 0;
	records[0].head.later = 13 * SECOND;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
}

static void not_joined_warns_of_a_spawned_child(void **state)
{
	(void)state;
	child_lives_until(16 * SECOND);
	slot[CHILD].how = MPSAN_HOW_VFORK;
	process[CHILD].exec_ns = slot[CHILD].birth_ns;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
	set_argv(CHILD, "python3 -c from multiprocessing.spawn import spawn_main");
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
}

/* Another program took the place of the parent, and it is that one that ended. */
static void not_joined_follows_the_images_of_a_parent(void **state)
{
	(void)state;
	facts.process_count = 3;
	slot[GRAND] = slot[PARENT];
	slot[GRAND].parent = PARENT + 1;
	slot[GRAND].how = MPSAN_HOW_EXEC;
	slot[PARENT].flags = MPSAN_PROCESS_REPLACED;
	process[PARENT].gone_ns = 12 * SECOND;
	child_lives_until(14 * SECOND);
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
	child_lives_until(16 * SECOND);
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
}

static void not_joined_notes_a_child_that_was_never_asked_for(void **state)
{
	(void)state;
	runs_python();
	child_lives_until(13 * SECOND);
	assert_told(TRIGGER_CLOSE, 0, child_not_joined, GRADE_NOTE);
	slot[PARENT].marks = MPSAN_MARK_IGNORES_CHLD; /* the kernel reaps it */
	assert_told(TRIGGER_CLOSE, 0, child_not_joined, GRADE_OFF);
	slot[PARENT].marks = 0;
	slot[CHILD].flags = MPSAN_PROCESS_REAPED;
	assert_told(TRIGGER_CLOSE, 0, child_not_joined, GRADE_OFF);
}

static void not_joined_is_silent_when_the_child_ends_in_time(void **state)
{
	(void)state;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
	child_lives_until(15 * SECOND + SECOND / 3);
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
	child_lives_until(16 * SECOND);
	process[PARENT].stayed = true;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
}

static void not_joined_is_silent_of_who_means_it(void **state)
{
	static const char *const known[] = {
		"python3 -c from multiprocessing.resource_tracker import main",
		"/usr/bin/torch_shm_manager", "/bin/bash", "-sh"};

	(void)state;
	child_lives_until(16 * SECOND);
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		set_argv(CHILD, known[i]);
		assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
	}
	set_argv(CHILD, "./program");
	slot[CHILD].flags = MPSAN_PROCESS_SESSION;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
	slot[CHILD].flags = 0;
	slot[CHILD].how = MPSAN_HOW_DAEMON;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
	slot[CHILD].how = MPSAN_HOW_FORK;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
}

/* fork, fork, and the one between ends at once. */
static void not_joined_is_silent_of_a_double_fork(void **state)
{
	(void)state;
	facts.process_count = 3;
	process[CHILD].gone_ns = slot[CHILD].birth_ns + SECOND / 100;
	slot[GRAND].birth_ns = slot[CHILD].birth_ns + SECOND / 200;
	process[GRAND].gone_ns = 20 * SECOND;
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_OFF);
	process[CHILD].gone_ns = 15 * SECOND;
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_WARNING);
}

/* fork, setsid, fork, and the one between takes its time to end. */
static void between_in_session(void)
{
	facts.process_count = 3;
	slot[CHILD].flags = MPSAN_PROCESS_SESSION;
	process[CHILD].gone_ns = 15 * SECOND;
	process[GRAND].gone_ns = 20 * SECOND;
}

static void not_joined_is_silent_of_a_daemon_whose_maker_ends_slowly(void **state)
{
	(void)state;
	between_in_session();
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_OFF);
	slot[CHILD].end_value = -1; /* of a main that returned, and nobody waited for */
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_OFF);
}

static void not_joined_warns_of_what_a_failed_process_in_a_session_leaves(void **state)
{
	(void)state;
	between_in_session();
	slot[CHILD].end_value = 1;
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_WARNING);
}

/* It leads a session because another process made it do so. */
static void not_joined_warns_of_what_a_started_leader_leaves(void **state)
{
	(void)state;
	between_in_session();
	slot[CHILD].how = MPSAN_HOW_EXEC;
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_WARNING);
}

static void not_joined_warns_of_a_worker_that_a_daemon_leaves(void **state)
{
	struct ev_process_name *name;

	(void)state;
	between_in_session();
	slot[GRAND].fork_pos = 4096;
	name = act(CHILD, EV_process_name, 12 * SECOND);
	name->fork = 4096;
	name->name = 64;
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_WARNING);
}

/* A server that forked more than once is no step on the way to a daemon. */
static void not_joined_warns_of_one_of_several_that_a_daemon_leaves(void **state)
{
	(void)state;
	between_in_session();
	facts.process_count = 4;
	slot[OTHER] = slot[GRAND];
	slot[OTHER].pid = 400;
	process[OTHER].gone_ns = 14 * SECOND;
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_WARNING);
	process[OTHER].exec_ns = 13 * SECOND; /* a helper */
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(not_joined_warns_of_a_child_that_outlives_its_parent),
		STORY(not_joined_fires_when_shared_memory_stays),
		STORY(not_joined_warns_of_a_spawned_child),
		STORY(not_joined_follows_the_images_of_a_parent),
		STORY(not_joined_notes_a_child_that_was_never_asked_for),
		STORY(not_joined_is_silent_when_the_child_ends_in_time),
		STORY(not_joined_is_silent_of_who_means_it),
		STORY(not_joined_is_silent_of_a_double_fork),
		STORY(not_joined_is_silent_of_a_daemon_whose_maker_ends_slowly),
		STORY(not_joined_warns_of_what_a_failed_process_in_a_session_leaves),
		STORY(not_joined_warns_of_what_a_started_leader_leaves),
		STORY(not_joined_warns_of_a_worker_that_a_daemon_leaves),
		STORY(not_joined_warns_of_one_of_several_that_a_daemon_leaves),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
