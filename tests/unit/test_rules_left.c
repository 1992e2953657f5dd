/* Stories about who was left behind, and whose failure nobody saw. Neighbour: story_people.h. */
#include "story_people.h"

#include <signal.h>

/* ---- who was left behind ---- */

static void not_joined_warns_of_a_child_that_outlives_its_parent(void **state)
{
	(void)state;
	child_lives_until(16 * SECOND);
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
	process[CHILD].stayed = true;
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_WARNING);
	assert_int_equal(tell(TRIGGER_ENDED, CHILD).last[0].fork, 0);
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
	events[0].later = 13 * SECOND;
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

/* By itself, or by a signal from elsewhere. */
static void parent_crashes(void)
{
	slot[PARENT].end = MPSAN_END_SIGNAL;
	slot[PARENT].end_value = SIGSEGV;
}

static void parent_killed(void)
{
	slot[PARENT].end = MPSAN_END_SIGNAL;
	slot[PARENT].end_value = SIGKILL;
}

static void lost_warns_of_workers_that_live_on(void **state)
{
	struct verdict verdict;

	(void)state;
	parent_crashes();
	child_lives_until(16 * SECOND);
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_WARNING);
	verdict = tell(TRIGGER_ENDED, PARENT);
	assert_int_equal(verdict.last[0].amount, 1);
	assert_int_equal(verdict.last[0].process, PARENT + 1);
	assert_told(TRIGGER_ENDED, CHILD, child_not_joined, GRADE_OFF);
	process[CHILD].gone = false;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_WARNING);
}

/* Told at the end of all, when it is known that they stay. */
static void lost_gives_time_to_follow_who_was_killed(void **state)
{
	(void)state;
	parent_killed();
	child_lives_until(16 * SECOND);
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_OFF);
	assert_told(TRIGGER_CLOSE, 0, parent_lost, GRADE_OFF);
	child_lives_until(15 * SECOND + PROCESS_STRUCK_NS);
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_OFF);
	assert_told(TRIGGER_CLOSE, 0, parent_lost, GRADE_WARNING);
}

/* kill(getpid()), raise(), or kill() of its own group: nobody else is the cause. */
static void lost_gives_no_time_to_who_kills_itself(void **state)
{
	struct ev_killed *killed;

	(void)state;
	parent_killed();
	child_lives_until(16 * SECOND);
	killed = act(PARENT, EV_killed, 15 * SECOND);
	*killed = (struct ev_killed){.pid = slot[PARENT].pid, .signal = SIGKILL};
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_WARNING);
	assert_told(TRIGGER_CLOSE, 0, parent_lost, GRADE_OFF);
	killed->pid = 0;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_WARNING);
	killed->pid = 77;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_OFF);
	killed->pid = 0;
	killed->signal = SIGUSR1;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_OFF);
}

static void lost_is_silent_when_they_notice(void **state)
{
	(void)state;
	parent_crashes();
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_OFF);
	child_lives_until(16 * SECOND);
	slot[CHILD].flags = MPSAN_PROCESS_DEATHSIG;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_OFF);
	slot[CHILD].flags = MPSAN_PROCESS_SESSION;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_OFF);
	slot[CHILD].flags = 0;
	slot[PARENT].end = MPSAN_END_EXIT;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_OFF);
}

/* Who uses a fork server is the parent of what that makes. */
static void lost_warns_of_the_children_of_a_fork_server(void **state)
{
	(void)state;
	facts.process_count = 3;
	parent_crashes();
	set_argv(CHILD, "python3 -c from multiprocessing.forkserver import main");
	slot[CHILD].how = MPSAN_HOW_VFORK;
	set_argv(GRAND, slot[CHILD].argv);
	process[GRAND].gone_ns = 20 * SECOND;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_WARNING);
	assert_told(TRIGGER_ENDED, GRAND, child_not_joined, GRADE_OFF);
}

/* ---- whose failure nobody saw ---- */

static void child_fails(void)
{
	struct ev_unnoticed *event = act(PARENT, EV_unnoticed, 14 * SECOND);

	*event = (struct ev_unnoticed){
		.worker_slot = CHILD + 1, .waits_for = 300, .lasted = 2 * SECOND};
	slot[CHILD].end_value = 1;
	child_lives_until(12 * SECOND);
}

static void failed_warns_of_an_end_that_nobody_saw(void **state)
{
	struct verdict verdict;

	(void)state;
	child_fails();
	assert_told(TRIGGER_EVENT, 0, worker_failed, GRADE_WARNING);
	act(CHILD, EV_left, 12 * SECOND);
	verdict = tell(TRIGGER_EVENT, 0);
	assert_int_equal(verdict.last[0].cause, 2);
	assert_int_equal(verdict.last[0].process, CHILD + 1);
}

static void failed_is_silent_when_somebody_ended_it(void **state)
{
	struct ev_killed *event;

	(void)state;
	child_fails();
	event = act(PARENT, EV_killed, 11 * SECOND + SECOND / 2);
	event->pid = slot[CHILD].pid;
	event->signal = SIGTERM;
	runs_python();
	assert_told(TRIGGER_EVENT, 0, worker_failed, GRADE_OFF);
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	event->pid = 77;
	assert_told(TRIGGER_EVENT, 0, worker_failed, GRADE_WARNING);
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_NOTE);
}

/* A second before its parent ends well. */
static void child_crashes(int number)
{
	slot[CHILD].end = MPSAN_END_SIGNAL;
	slot[CHILD].end_value = number;
	child_lives_until(14 * SECOND);
	facts.followed = true;
}

static struct ev_reaped *parent_is_told(bool taken)
{
	struct ev_reaped *event = act(PARENT, EV_reaped, 14 * SECOND + 1);

	*event = (struct ev_reaped){
		.pid = slot[CHILD].pid, .signal = (uint64_t)slot[CHILD].end_value, .taken = taken};
	return event;
}

static void crash_warns_when_nobody_asks(void **state)
{
	static const int numbers[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGKILL};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		child_crashes(numbers[i]);
		assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
	}
	parent_is_told(false);
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
	assert_int_equal(tell(TRIGGER_CLOSE, 0).last[0].cause, 1);
}

/* In Python each wait takes the status, and says nothing by that. */
static void crash_warns_when_python_only_joins(void **state)
{
	(void)state;
	runs_python();
	child_crashes(SIGSEGV);
	parent_is_told(true);
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
	facts.followed = false; /* nobody looked into its source */
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_NOTE);
}

static void crash_is_silent_when_the_parent_asks(void **state)
{
	struct ev_heeded *heeded;

	(void)state;
	child_crashes(SIGSEGV);
	parent_is_told(true);
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	runs_python();
	heeded = act(PARENT, EV_heeded, 14 * SECOND + 2);
	*heeded = (struct ev_heeded){.worker_slot = CHILD + 1, .how = MPSAN_HEED_SOURCE};
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_NOTE);
	heeded->worker_slot = CHILD + 2;
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
}

static void crash_is_silent_when_the_parent_fails_too(void **state)
{
	(void)state;
	child_crashes(SIGSEGV);
	slot[PARENT].end_value = 1;
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	slot[PARENT].end_value = 0;
	child_lives_until(16 * SECOND); /* others clean up behind the parent */
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	child_lives_until(14 * SECOND);
	slot[CHILD].flags = MPSAN_PROCESS_DEATHSIG;
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	slot[CHILD].flags = 0;
	slot[CHILD].end_value = SIGTERM; /* whoever sent that meant it */
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
}

static void crash_counts_the_senders_of_signals(void **state)
{
	struct ev_killed *killed;

	(void)state;
	child_crashes(SIGKILL);
	killed = act(PARENT, EV_killed, 13 * SECOND);
	*killed = (struct ev_killed){.pid = slot[CHILD].pid, .signal = SIGKILL};
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	killed->signal = SIGTERM;
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	killed->signal = SIGUSR1; /* to dump its stacks, or to rotate its log */
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
	*killed = (struct ev_killed){.pid = (uint64_t)-200, .signal = SIGKILL};
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	killed->signal = SIGTERM; /* perhaps of another group */
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
	*killed = (struct ev_killed){.pid = slot[CHILD].pid, .signal = SIGKILL};
	events[0].at.by = events[0].at.slot = CHILD; /* that it sent to itself */
	process[CHILD].event[event_fact_number(EV_killed)] = 1;
	process[PARENT].event[event_fact_number(EV_killed)] = 0;
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
	set_argv(PARENT, "python3 -m pytest");
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

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
		STORY(lost_warns_of_workers_that_live_on),
		STORY(lost_gives_time_to_follow_who_was_killed),
		STORY(lost_gives_no_time_to_who_kills_itself),
		STORY(lost_is_silent_when_they_notice),
		STORY(lost_warns_of_the_children_of_a_fork_server),
		STORY(failed_warns_of_an_end_that_nobody_saw),
		STORY(failed_is_silent_when_somebody_ended_it),
		STORY(crash_warns_when_nobody_asks),
		STORY(crash_warns_when_python_only_joins),
		STORY(crash_is_silent_when_the_parent_asks),
		STORY(crash_is_silent_when_the_parent_fails_too),
		STORY(crash_counts_the_senders_of_signals),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
