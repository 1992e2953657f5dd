/* Which aborts and panics ended a process, or caused its waits. Neighbours: tools/facts/exceptions.h, tools/rules/because.h. */
#include "rules/story_raised.h"

#include <signal.h>

#include "../../tools/facts/exceptions.h"
#include "../../tools/rules/because.h"

static void ends(uint8_t how, int value, uint64_t time_ns)
{
	world.slot[PARENT].end = how;
	world.slot[PARENT].end_value = value;
	world.process[PARENT].gone = true;
	world.process[PARENT].gone_ns = time_ns;
}

static void abort_ended_who_was_killed_by_it(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_ABORT);
	assert_int_equal(exception_of_process(&world.facts, PARENT), FACT_NONE); /* still alive */
	ends(MPSAN_END_SIGNAL, SIGABRT, 30 * SECOND);
	assert_int_equal(exception_of_process(&world.facts, PARENT), 0);
	((struct ev_exception *)raised_record.fields)->where = MPSAN_WHERE_TERMINATE;
	assert_int_equal(exception_of_process(&world.facts, PARENT), 0);
	ends(MPSAN_END_SIGNAL, SIGSEGV, 30 * SECOND);
	assert_int_equal(exception_of_process(&world.facts, PARENT), FACT_NONE);
	ends(MPSAN_END_EXIT, 1, 30 * SECOND);
	assert_int_equal(exception_of_process(&world.facts, PARENT), FACT_NONE);
}

static void abort_that_is_handled_counts_for_a_short_time(void **state)
{
	struct ev_exception *event = raises(MPSAN_WHERE_ABORT);

	(void)state;
	event->handled = 1;
	ends(MPSAN_END_SIGNAL, SIGABRT, 12 * SECOND);
	assert_int_equal(exception_of_process(&world.facts, PARENT), 0);
	ends(MPSAN_END_SIGNAL, SIGABRT, 14 * SECOND);
	assert_int_equal(exception_of_process(&world.facts, PARENT), FACT_NONE);
}

static void panic_ended_whose_main_thread_it_was(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_PANIC);
	ends(MPSAN_END_EXIT, 101, 12 * SECOND);
	assert_int_equal(exception_of_process(&world.facts, PARENT), FACT_NONE);
	raised_record.head.tid = MAIN_THREAD;
	assert_int_equal(exception_of_process(&world.facts, PARENT), 0);
	ends(MPSAN_END_EXIT, 0, 12 * SECOND);
	assert_int_equal(exception_of_process(&world.facts, PARENT), FACT_NONE);
}

static void panic_is_the_cause_if_its_thread_has_ended(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_PANIC);
	blocks(MPSAN_WAIT_FUTEX, 0);
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	assert_int_equal(because_thread(&world.facts, &deadlock), 0);
	blocked[0].ev.kind = MPSAN_LOCK_MUTEX;
	assert_int_equal(because_thread(&world.facts, &deadlock), FACT_NONE);
	blocked[0].ev.kind = MPSAN_WAIT_COND;
	assert_int_equal(because_thread(&world.facts, &deadlock), 0);
	blocked[0].ev.flags = MPSAN_LF_SHARED;
	assert_int_equal(because_thread(&world.facts, &deadlock), FACT_NONE);
	blocked[0].ev.flags = 0;
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_int_equal(because_thread(&world.facts, &deadlock), FACT_NONE);
}

static void panic_that_was_caught_is_not(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_PANIC);
	blocks(MPSAN_WAIT_FUTEX, 0);
	blocks(MPSAN_WAIT_FUTEX, 0);
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	blocked[1].at.tid = WORKER; /* it waits as well */
	assert_int_equal(because_thread(&world.facts, &deadlock), FACT_NONE);
	raised_record.head.tid = MAIN_THREAD; /* which has not ended, or the process would have */
	blocked[0].at.tid = blocked[1].at.tid;
	assert_int_equal(because_thread(&world.facts, &deadlock), FACT_NONE);
	raised_record.head.tid = WORKER + 1;
	assert_int_equal(because_thread(&world.facts, &deadlock), 0);
	raised_record.head.time_ns = 13 * SECOND;
	assert_int_equal(because_thread(&world.facts, &deadlock), FACT_NONE);
}

static void who_has_caught_its_last_one_and_ended_gave_up(void **state)
{
	(void)state;
	raises(MPSAN_WHERE_OTHER);
	blocks(MPSAN_WAIT_COND, 0);
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	assert_false(because_gave_up(&world.facts, &deadlock, 0)); /* any may live */
	blocked[0].frames.what = AWAITED_NOTIFY;
	assert_true(because_gave_up(&world.facts, &deadlock, 0));
	blocked[0].at.tid = WORKER; /* it is the one that waits */
	assert_false(because_gave_up(&world.facts, &deadlock, 0));
	ends(MPSAN_END_EXIT, 0, 11 * SECOND);
	assert_true(because_gave_up(&world.facts, &deadlock, 0));
	((struct ev_exception *)raised_record.fields)->where = MPSAN_WHERE_LOADER;
	assert_false(because_gave_up(&world.facts, &deadlock, 0)); /* it is told elsewhere */
	((struct ev_exception *)raised_record.fields)->where = MPSAN_WHERE_TASK;
	assert_true(because_gave_up(&world.facts, &deadlock, 0));
}

static void what_is_not_known_is_to_be_looked_for(void **state)
{
	struct finding finding = {.rule = RULE_deadlock_cycle, .deadlock = 1};

	(void)state;
	blocks(MPSAN_WAIT_COND, 0);
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	world.slot[PARENT].python = 1;
	assert_string_equal(because_fix_first(&world.facts, &finding, &blocked[0]), "");
	world.facts.outside = true;
	assert_non_null(
		strstr(because_fix_first(&world.facts, &finding, &blocked[0]), "a traceback"));
	blocked[0].frames.in_callback = true;
	assert_string_equal(because_fix_first(&world.facts, &finding, &blocked[0]), "");
	blocked[0].frames = (struct awaited_frames){.what = AWAITED_ASYNC_ITEM};
	assert_string_equal(because_fix_first(&world.facts, &finding, &blocked[0]), "");
	blocked[0].frames = (struct awaited_frames){0};
	blocked[0].ev.kind = MPSAN_WAIT_FILE_LOCK;
	blocked[0].ev.flags = 0;
	assert_string_equal(because_fix_first(&world.facts, &finding, &blocked[0]), "");
	blocked[0].ev.flags = MPSAN_LF_PYTHON;
	assert_non_null(
		strstr(because_fix_first(&world.facts, &finding, &blocked[0]), "a traceback"));
	blocked[0].ev.cleans = 1;
	assert_non_null(strstr(because_fix_first(&world.facts, &finding, &blocked[0]), "clean-up"));
	finding.process = 1; /* whose failure is to be mended */
	assert_string_equal(because_fix_first(&world.facts, &finding, &blocked[0]), "");
	finding.process = 0;
	blocked[0].ev.cleans = 0;
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_string_equal(because_fix_first(&world.facts, &finding, &blocked[0]), "");
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(abort_ended_who_was_killed_by_it),
		STORY(abort_that_is_handled_counts_for_a_short_time),
		STORY(panic_ended_whose_main_thread_it_was),
		STORY(panic_is_the_cause_if_its_thread_has_ended),
		STORY(panic_that_was_caught_is_not),
		STORY(who_has_caught_its_last_one_and_ended_gave_up),
		STORY(what_is_not_known_is_to_be_looked_for),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
