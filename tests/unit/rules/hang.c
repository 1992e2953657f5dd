/* Stories of hang. Neighbours: story_deadlock.h, tools/rules/locks/hang.c. */
#include "story_deadlock.h"

static void hang_warns_of_waits_without_a_proof(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_WARNING);
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 1);
}

static void hang_notes_a_job_that_seems_to_wait_for_a_signal(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	blocked[0].ev.flags = MPSAN_LF_PARKED;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_NOTE);
}

static void hang_notes_a_loop_that_runs_and_only_tests(void **state)
{
	struct verdict verdict;

	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	blocked[0].ev.flags = MPSAN_LF_PARKED | MPSAN_LF_SPINS;
	blocked[0].ev.kind = MPSAN_WAIT_SYSCALL;
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_int_equal(verdict.last[0].grade, GRADE_NOTE);
	assert_non_null(strstr(verdict.last[0].fix, "what the loop polls for"));
}

/* The parent polls for the end of a child, which the kernel has reaped. */
static void hang_names_sigchld_that_is_ignored(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_SYSCALL, MPSAN_LF_PARKED);
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	world.process[CHILD].gone_ns = 11 * SECOND;
	assert_null(strstr(announce(&world, TRIGGER_DEADLOCK).last[0].fix, "SIGCHLD"));
	world.slot[PARENT].marks = MPSAN_MARK_IGNORES_CHLD;
	assert_non_null(strstr(announce(&world, TRIGGER_DEADLOCK).last[0].fix, "SIGCHLD"));
}

static void hang_notes_a_shell_that_tries_in_vain(void **state)
{
	struct verdict verdict;

	(void)state;
	blocks(MPSAN_WAIT_PROCESS, MPSAN_LF_PARKED);
	deadlock.ev.cause = MPSAN_DEADLOCK_RETRIES;
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_int_equal(verdict.last[0].grade, GRADE_NOTE);
	assert_int_equal(verdict.last[0].process, 0);
	assert_non_null(strstr(verdict.last[0].fix, "give up after some tries"));
	deadlock.ev.dead_slot = CHILD + 1;
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).last[0].process, CHILD + 1);
}

/* It may compute: that it has the GIL is all that is known. */
static void hang_notes_who_keeps_the_gil(void **state)
{
	struct verdict verdict;

	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	blocked[0].ev.flags = MPSAN_LF_PARKED;
	blocked[0].ev.kind = MPSAN_WAIT_SYSCALL;
	blocked[1].ev.kind = MPSAN_WAIT_GIL;
	blocked[1].ev.owner = blocked[0].at.tid;
	blocked[1].at.by = blocked[0].at.by;
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_int_equal(verdict.last[0].grade, GRADE_NOTE);
	assert_non_null(strstr(verdict.last[0].fix, "release the GIL"));
	blocked[1].ev.owner = 0;
	assert_null(strstr(announce(&world, TRIGGER_DEADLOCK).last[0].fix, "release the GIL"));
}

static void hang_notes_the_final_state(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_LAST;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_NOTE);
	deadlock.ev.cause = MPSAN_DEADLOCK_DRAFT;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_NOTE);
}

/* By what is waited for in the end; where an owner is known, the rule's own. */
static void hang_has_the_fix_of_its_dead_end(void **state)
{
	struct verdict verdict;

	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	blocked[0].ev.flags = MPSAN_LF_PARKED;
	blocked[0].frames.what = AWAITED_PERMIT;
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_non_null(verdict.last[0].fix);
	assert_non_null(strstr(verdict.last[0].fix, "release each permit on every path"));
	deadlock.ev.cause = MPSAN_DEADLOCK_LAST;
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_non_null(strstr(verdict.last[0].fix, "release each permit on every path"));
	blocked[0].ev.owner = 4711;
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_null(verdict.last[0].fix);
	blocked[0].ev.owner = blocked[1].at.tid; /* which acts by itself */
	blocked[0].ev.owner_slot = blocked[1].at.by + 1u;
	blocked[1].ev.owner = 0;
	blocked[1].ev.kind = MPSAN_WAIT_SYSCALL;
	blocked[1].ev.wakes = 5;
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_null(verdict.last[0].fix);
	blocked[1].ev.wakes = 0; /* or stands, as one that is stopped does */
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_non_null(strstr(verdict.last[0].fix, "kill -CONT"));
}

/* It may be a queue: nothing is known but that nobody is known to have it. */
static void hang_has_no_fix_for_what_may_be_no_lock(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_PYTHON, MPSAN_LF_PYTHON);
	deadlock.ev.cause = MPSAN_DEADLOCK_LAST;
	assert_null(announce(&world, TRIGGER_DEADLOCK).last[0].fix);
	blocked[0].ev.taker = 4711;
	blocked[0].ev.flags |= MPSAN_LF_OWNER_DEAD;
	assert_non_null(strstr(announce(&world, TRIGGER_DEADLOCK).last[0].fix, "on every path"));
}

static void hang_warns_of_a_loop_that_was_not_woken(void **state)
{
	struct verdict verdict;

	(void)state;
	blocks(MPSAN_WAIT_READY, MPSAN_LF_UNWOKEN);
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_WARNING);
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_non_null(strstr(verdict.last[0].fix, "call_soon_threadsafe"));
}

static void hang_warns_of_tasks_that_wait_for_their_own_locks(void **state)
{
	struct verdict verdict;

	(void)state;
	blocks(MPSAN_WAIT_READY, MPSAN_LF_STUCK);
	blocked[0].frames.what = AWAITED_ASYNC_LOCK;
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_WARNING);
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_non_null(strstr(verdict.last[0].fix, "not reentrant"));
}

static void hang_warns_of_a_coroutine_that_blocks_its_loop(void **state)
{
	struct verdict verdict;

	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_PARKED);
	blocked[0].frames.what = AWAITED_ITEM;
	blocked[0].frames.in_callback = true;
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_WARNING);
	verdict = announce(&world, TRIGGER_DEADLOCK);
	assert_non_null(strstr(verdict.last[0].fix, "asyncio.Queue"));
	blocked[0].frames.what = AWAITED_EVENT;
	blocked[0].frames.meant = PARKED_INTENDED;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_NOTE);
}

static void hang_is_silent_where_there_is_a_proof(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	deadlock.end = 0;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(hang_warns_of_waits_without_a_proof),
		STORY(hang_notes_a_job_that_seems_to_wait_for_a_signal),
		STORY(hang_notes_a_loop_that_runs_and_only_tests),
		STORY(hang_names_sigchld_that_is_ignored),
		STORY(hang_notes_a_shell_that_tries_in_vain),
		STORY(hang_notes_who_keeps_the_gil),
		STORY(hang_notes_the_final_state),
		STORY(hang_has_the_fix_of_its_dead_end),
		STORY(hang_has_no_fix_for_what_may_be_no_lock),
		STORY(hang_warns_of_a_loop_that_was_not_woken),
		STORY(hang_warns_of_tasks_that_wait_for_their_own_locks),
		STORY(hang_warns_of_a_coroutine_that_blocks_its_loop),
		STORY(hang_is_silent_where_there_is_a_proof),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
