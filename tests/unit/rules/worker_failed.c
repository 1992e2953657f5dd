/* Stories of worker-failed. Neighbours: story_people.h, tools/rules/workers/worker_failed.c. */
#include "story_people.h"

#include <signal.h>

static struct ev_worker_failure *child_fails(void)
{
	struct ev_worker_failure *event = act(PARENT, EV_worker_failure, 14 * SECOND);

	*event = (struct ev_worker_failure){
		.worker_slot = CHILD + 1, .waits_for = 300, .lasted = 2 * SECOND};
	slot[CHILD].end_value = 1;
	child_lives_until(12 * SECOND);
	return event;
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

static void failed_warns_of_a_pool_that_replaces_its_workers(void **state)
{
	struct ev_worker_failure *event = child_fails();
	struct verdict verdict = tell(TRIGGER_EVENT, 0);

	(void)state;
	assert_null(verdict.last[0].title);
	event->failures = 4;
	assert_told(TRIGGER_EVENT, 0, worker_failed, GRADE_WARNING);
	verdict = tell(TRIGGER_EVENT, 0);
	assert_string_equal(verdict.last[0].title, "all workers of a pool fail");
	assert_int_equal(verdict.last[0].amount, 4);
}

static void failed_warns_of_a_parent_that_only_sleeps(void **state)
{
	struct ev_worker_failure *event = child_fails();

	(void)state;
	assert_null(strstr(tell(TRIGGER_EVENT, 0).last[0].message_text->message, "all that time"));
	event->waits_for = 0;
	assert_told(TRIGGER_EVENT, 0, worker_failed, GRADE_WARNING);
	assert_non_null(
		strstr(tell(TRIGGER_EVENT, 0).last[0].message_text->message, "all that time"));
}

static void failed_notes_a_program_that_may_answer(void **state)
{
	(void)state;
	child_fails();
	process[CHILD].exec_ns = 11 * SECOND; /* or tried to */
	assert_told(TRIGGER_EVENT, 0, worker_failed, GRADE_NOTE);
	slot[CHILD].python = 0x030b02f0;
	assert_told(TRIGGER_EVENT, 0, worker_failed, GRADE_WARNING);
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
	child_lives_until(16 * SECOND); /* as the supervisor saw it, after the parent's end */
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
}

/* In Python each wait takes the status, and says nothing by that. */
static void crash_warns_when_python_only_joins(void **state)
{
	(void)state;
	runs_python();
	child_crashes(SIGSEGV);
	parent_is_told(true);
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
	facts.followed = false; /* perhaps nobody looked into its code */
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_NOTE);
}

static void crash_is_silent_when_the_parent_asks(void **state)
{
	struct ev_exit_checked *checked;

	(void)state;
	child_crashes(SIGSEGV);
	parent_is_told(true);
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
	runs_python();
	checked = act(PARENT, EV_exit_checked, 14 * SECOND + 2);
	*checked =
		(struct ev_exit_checked){.worker_slot = CHILD + 1, .how = MPSAN_CHECKED_BY_SOURCE};
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_NOTE);
	checked->worker_slot = 0; /* of a fork server's workers */
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_NOTE);
	checked->worker_slot = CHILD + 2;
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
}

static void crash_is_noted_when_python_code_asks(void **state)
{
	struct ev_reaped *reaped;

	(void)state;
	runs_python();
	child_crashes(SIGSEGV);
	reaped = parent_is_told(true);
	reaped->taken |= MPSAN_TAKEN_CHECKED(MPSAN_CHECKED_BY_SOURCE);
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_NOTE);
	reaped->taken =
		1 | MPSAN_TAKEN_CHECKED(MPSAN_CHECKED_BY_TEST); /* which has not made it crash */
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
	events[0].by = events[0].slot = CHILD; /* that it sent to itself */
	process[CHILD].event[event_fact_number(EV_killed)] = 1;
	process[PARENT].event[event_fact_number(EV_killed)] = 0;
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_WARNING);
	set_argv(PARENT, "python3 -m pytest");
	assert_told(TRIGGER_CLOSE, 0, worker_failed, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(failed_warns_of_an_end_that_nobody_saw),
		STORY(failed_warns_of_a_pool_that_replaces_its_workers),
		STORY(failed_warns_of_a_parent_that_only_sleeps),
		STORY(failed_notes_a_program_that_may_answer),
		STORY(failed_is_silent_when_somebody_ended_it),
		STORY(crash_warns_when_nobody_asks),
		STORY(crash_warns_when_python_only_joins),
		STORY(crash_is_silent_when_the_parent_asks),
		STORY(crash_is_noted_when_python_code_asks),
		STORY(crash_is_silent_when_the_parent_fails_too),
		STORY(crash_counts_the_senders_of_signals),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
