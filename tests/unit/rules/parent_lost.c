/* Stories of parent-lost. Neighbours: story_people.h, tools/rules/workers/parent_lost.c. */
#include "story_people.h"

#include <signal.h>

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

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(lost_warns_of_workers_that_live_on),
		STORY(lost_gives_time_to_follow_who_was_killed),
		STORY(lost_gives_no_time_to_who_kills_itself),
		STORY(lost_is_silent_when_they_notice),
		STORY(lost_warns_of_the_children_of_a_fork_server),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
