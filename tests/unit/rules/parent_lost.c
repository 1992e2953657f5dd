/* Stories of parent-lost. Neighbours: story_people.h, tools/rules/workers/parent_lost.c. */
#include "story_people.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

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

/* Its program was replaced by another one since. */
static void lost_warns_of_workers_of_an_earlier_image(void **state)
{
	struct verdict verdict;

	(void)state;
	facts.process_count = 3;
	slot[PARENT].flags = MPSAN_PROCESS_REPLACED;
	slot[GRAND] = (struct mpsan_process){.pid = slot[PARENT].pid,
					     .parent = PARENT + 1,
					     .how = MPSAN_HOW_EXEC,
					     .birth_ns = 12 * SECOND,
					     .end = MPSAN_END_SIGNAL,
					     .end_value = SIGSEGV};
	child_lives_until(20 * SECOND);
	verdict = tell(TRIGGER_ENDED, GRAND);
	assert_int_equal(grade_of(&verdict, RULE_parent_lost), GRADE_WARNING);
	assert_int_equal(verdict.last[0].process, GRAND + 1);
	assert_int_equal(verdict.last[0].fork, 1);
}

/* The same with a fork server between them. */
static void lost_warns_of_a_fork_server_of_an_earlier_image(void **state)
{
	struct mpsan_process slots[4];
	struct fact_process processes[4] = {{0}};
	struct facts four = {.now_ns = 30 * SECOND, .processes = processes, .process_count = 4};
	struct verdict verdict = {.sink = {verdict_add}};

	(void)state;
	memcpy(slots, slot, sizeof(slot));
	slots[PARENT].flags = MPSAN_PROCESS_REPLACED;
	strcpy(slots[CHILD].argv, "python3 -c from multiprocessing.forkserver import main");
	slots[CHILD].argv_bytes = (uint32_t)strlen(slots[CHILD].argv) + 1;
	slots[CHILD].how = MPSAN_HOW_VFORK;
	memcpy(slots[GRAND].argv, slots[CHILD].argv, sizeof(slots[GRAND].argv));
	slots[GRAND].argv_bytes = slots[CHILD].argv_bytes;
	slots[3] = (struct mpsan_process){.pid = slots[PARENT].pid,
					  .parent = PARENT + 1,
					  .how = MPSAN_HOW_EXEC,
					  .birth_ns = 12 * SECOND,
					  .end = MPSAN_END_SIGNAL,
					  .end_value = SIGSEGV};
	for (uint32_t i = 0; i < 4; i++)
		processes[i] = (struct fact_process){.slot = &slots[i],
						     .gone = true,
						     .gone_ns = (i == GRAND ? 20 : 15) * SECOND};
	story_run(&four, &(struct trigger){TRIGGER_ENDED, 3}, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_parent_lost), GRADE_WARNING);
}

/* In a damaged table each is the other's parent. */
static void lost_comes_to_an_end_in_a_circle(void **state)
{
	(void)state;
	parent_crashes();
	child_lives_until(16 * SECOND);
	slot[PARENT].parent = CHILD + 1;
	assert_told(TRIGGER_ENDED, PARENT, parent_lost, GRADE_WARNING);
}

#define MANY 20000u

struct count {
	struct findings sink;
	unsigned findings, workers;
};

static void count_add(struct findings *sink, const struct finding *finding)
{
	struct count *count = (struct count *)sink;

	count->findings++;
	count->workers += (unsigned)finding->amount;
}

/* The steps for each do not grow with their number: else this would take minutes. */
static void lost_judges_many(void **state)
{
	struct mpsan_process *slots = calloc(2 * MANY, sizeof(*slots));
	struct fact_process *processes = calloc(2 * MANY, sizeof(*processes));
	struct facts many = {
		.now_ns = 30 * SECOND, .processes = processes, .process_count = 2 * MANY};
	struct count count = {.sink = {count_add}};

	(void)state;
	assert_non_null(slots);
	assert_non_null(processes);
	for (uint32_t i = 0; i < 2 * MANY; i++) {
		slots[i] = (struct mpsan_process){.pid = 100 + i, .birth_ns = 10 * SECOND};
		if (i < MANY) {
			slots[i].end = MPSAN_END_SIGNAL;
			slots[i].end_value = SIGSEGV;
		} else {
			slots[i].parent = i - MANY + 1;
			slots[i].how = MPSAN_HOW_FORK;
		}
		processes[i] = (struct fact_process){
			.slot = &slots[i], .gone = i < MANY, .gone_ns = 15 * SECOND};
	}
	for (uint32_t i = 0; i < 2 * MANY; i++)
		fact_child_enter(processes, many.process_count, i);
	for (uint32_t i = 0; i < MANY; i++)
		rule_parent_lost(&many, &(struct trigger){TRIGGER_ENDED, i}, &count.sink);
	assert_int_equal(count.findings, MANY);
	assert_int_equal(count.workers, MANY);
	free(processes);
	free(slots);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(lost_warns_of_workers_that_live_on),
		STORY(lost_gives_time_to_follow_who_was_killed),
		STORY(lost_gives_no_time_to_who_kills_itself),
		STORY(lost_is_silent_when_they_notice),
		STORY(lost_warns_of_the_children_of_a_fork_server),
		STORY(lost_warns_of_workers_of_an_earlier_image),
		STORY(lost_warns_of_a_fork_server_of_an_earlier_image),
		STORY(lost_comes_to_an_end_in_a_circle),
		STORY(lost_judges_many),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
