/*
 * Stories about waits that nobody can end in a forked child, and about which rule tells a wait.
 * Neighbours: story_facts.h, test_rules_wait.c, tools/rules/wait.c.
 */
#include "story_facts.h"

static struct world world;
static struct fact_left left;

static int begin(void **state)
{
	(void)state;
	world_init(&world);
	left = (struct fact_left){.at = {PARENT, PARENT, MAIN_THREAD, 8320, 10 * SECOND + 1},
				  .ev = {.lock = 0x1000, .kind = MPSAN_LOCK_MUTEX},
				  .fork = 0};
	world.facts.lefts = &left;
	return 0;
}

static void alone_on(uint64_t kind, uint64_t flags)
{
	world_wait(&world, MPSAN_WAIT_ALONE, kind, flags);
	world.wait.ev.owner = 0;
}

/* The parent itself waits, after its fork. */
static void parent_waits(uint64_t flags)
{
	world_wait(&world, MPSAN_WAIT_SELF, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | flags);
	world.wait.at = (struct fact_place){PARENT, PARENT, MAIN_THREAD, 8384, 12 * SECOND};
	world.wait.ev.owner = MAIN_THREAD;
}

/* A worker imports a module at the fork. */
static void importing(void)
{
	world_hold(&world, WORKER, MPSAN_LOCK_IMPORT, MPSAN_LF_VERIFIED | MPSAN_LF_PYTHON);
}

static void assert_only(enum rule_id rule, enum grade grade)
{
	struct verdict verdict = announce(&world, TRIGGER_WAIT);

	assert_int_equal(verdict.count, 1);
	assert_int_equal(verdict.last[0].rule, rule);
	assert_int_equal(verdict.last[0].grade, grade);
}

static void lost_wakeup_fires_for_every_kind_of_wait(void **state)
{
	static const uint64_t kinds[] = {MPSAN_WAIT_COND, MPSAN_WAIT_BARRIER, MPSAN_WAIT_FUTEX,
					 MPSAN_LOCK_SEMAPHORE};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		alone_on(kinds[i], 0);
		assert_only(RULE_fork_lost_wakeup, GRADE_ERROR);
	}
}

static void lost_wakeup_warns_when_a_signal_handler_could_help(void **state)
{
	(void)state;
	alone_on(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SIGNALS);
	assert_only(RULE_fork_lost_wakeup, GRADE_WARNING);
}

static void lost_wakeup_is_silent_about_waits_that_can_end(void **state)
{
	(void)state;
	alone_on(MPSAN_WAIT_COND, MPSAN_LF_TIMED);
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
	alone_on(MPSAN_WAIT_COND, MPSAN_LF_SHARED);
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
}

static void lost_wakeup_is_silent_in_a_process_that_never_forked(void **state)
{
	(void)state;
	alone_on(MPSAN_WAIT_COND, 0);
	world.wait.at.by = PARENT;
	assert_int_equal(announce(&world, TRIGGER_WAIT).count, 0);
}

static void lost_wakeup_tells_who_was_left_behind(void **state)
{
	const struct message_text *threads, *pool, *parent;

	(void)state;
	alone_on(MPSAN_WAIT_COND, 0);
	threads = announce(&world, TRIGGER_WAIT).last[0].message_text;
	world.wait.pool_threads = 3; /* in the program itself */
	pool = announce(&world, TRIGGER_WAIT).last[0].message_text;
	world.wait.pool_threads = 0;
	world.fork.ev.threads = 1;
	parent = announce(&world, TRIGGER_WAIT).last[0].message_text;
	assert_non_null(strstr(threads->message, "{lost}"));
	assert_non_null(strstr(pool->message, "{signallers}"));
	assert_non_null(strstr(parent->message, "another copy"));
}

static void thread_pool_fires_for_a_library(void **state)
{
	(void)state;
	alone_on(MPSAN_WAIT_COND, 0);
	world.wait.in_library = true;
	world.wait.pool_threads = 3;
	assert_only(RULE_fork_thread_pool, GRADE_ERROR);
	world.wait.ev.flags = MPSAN_LF_SIGNALS;
	assert_only(RULE_fork_thread_pool, GRADE_WARNING);
}

static void thread_pool_is_silent_about_a_library_without_threads(void **state)
{
	(void)state;
	alone_on(MPSAN_WAIT_COND, 0);
	world.wait.in_library = true;
	assert_only(RULE_fork_lost_wakeup, GRADE_ERROR);
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

static void preexec_fn_is_proved_by_the_wait(void **state)
{
	(void)state;
	world.fork.ev.flags = MPSAN_FORK_PREEXEC;
	world_hold(&world, WORKER, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED | MPSAN_LF_MUTUAL);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_MUTUAL);
	assert_only(RULE_fork_preexec_fn, GRADE_ERROR);
	assert_grade(&world, TRIGGER_FORK, fork_preexec_fn, GRADE_OFF); /* it is told already */
	world.wait.ev.flags |= MPSAN_LF_SIGNALS;
	assert_only(RULE_fork_preexec_fn, GRADE_WARNING);
}

static void preexec_fn_warns_before_exec(void **state)
{
	(void)state;
	world.fork.ev.flags = MPSAN_FORK_PREEXEC;
	world.process[CHILD].exec_ns = 10 * SECOND + 1000;
	assert_grade(&world, TRIGGER_FORK, fork_preexec_fn, GRADE_WARNING);
}

static void preexec_fn_is_silent_without_one_or_without_threads(void **state)
{
	(void)state;
	assert_grade(&world, TRIGGER_FORK, fork_preexec_fn, GRADE_OFF);
	world.fork.ev.flags = MPSAN_FORK_PREEXEC;
	world.fork.ev.threads = 1;
	assert_grade(&world, TRIGGER_FORK, fork_preexec_fn, GRADE_OFF);
}

static void handler_deadlock_fires_inside_a_handler(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX,
		   MPSAN_LF_VERIFIED | MPSAN_LF_HANDLER);
	assert_only(RULE_fork_handler_deadlock, GRADE_ERROR);
	alone_on(MPSAN_WAIT_COND, MPSAN_LF_HANDLER);
	assert_only(RULE_fork_handler_deadlock, GRADE_ERROR);
	parent_waits(MPSAN_LF_HANDLER);
	assert_only(RULE_fork_handler_deadlock, GRADE_ERROR);
	alone_on(MPSAN_WAIT_COND, MPSAN_LF_HANDLER | MPSAN_LF_SIGNALS);
	assert_only(RULE_fork_handler_deadlock, GRADE_WARNING);
}

static void handler_deadlock_is_proved_by_a_wait_for_a_lock_that_was_kept(void **state)
{
	(void)state;
	world.facts.left_count = 1;
	parent_waits(0);
	assert_only(RULE_fork_handler_deadlock, GRADE_ERROR);
	world.wait.ev.lock = 0x2000; /* another one */
	assert_only(RULE_self_deadlock, GRADE_ERROR);
	world.wait.ev.lock = 0x1000;
	world.wait.at.time_ns = 9 * SECOND; /* before that fork */
	assert_only(RULE_self_deadlock, GRADE_ERROR);
}

static void handler_deadlock_warns_of_a_lock_that_was_kept(void **state)
{
	(void)state;
	world.facts.left_count = 1;
	assert_grade(&world, TRIGGER_KEPT_LOCK, fork_handler_deadlock, GRADE_WARNING);
}

static void handler_deadlock_is_silent_outside_of_handlers(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world_wait(&world, MPSAN_WAIT_ORPHAN, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_only(RULE_fork_orphaned_lock, GRADE_ERROR);
}

/* Every reason, kind and circumstance: never two rules for one wait. */
static void a_wait_is_told_by_one_rule_at_most(void **state)
{
	static const uint64_t flags[] = {0, MPSAN_LF_HANDLER, MPSAN_LF_SIGNALS, MPSAN_LF_SHARED};

	(void)state;
	world.facts.left_count = 1;
	for (unsigned reason = 0; reason <= MPSAN_WAIT_INSIDE; reason++)
		for (unsigned kind = 0; kind < MPSAN_KIND_COUNT; kind++)
			for (unsigned i = 0; i < 2 * sizeof(flags) / sizeof(*flags); i++) {
				world.fork.ev.flags = i % 2 ? MPSAN_FORK_PREEXEC : 0;
				world_wait(&world, reason, kind, flags[i / 2]);
				assert_true(announce(&world, TRIGGER_WAIT).count <= 1);
			}
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(lost_wakeup_fires_for_every_kind_of_wait),
		STORY(lost_wakeup_warns_when_a_signal_handler_could_help),
		STORY(lost_wakeup_is_silent_about_waits_that_can_end),
		STORY(lost_wakeup_is_silent_in_a_process_that_never_forked),
		STORY(lost_wakeup_tells_who_was_left_behind),
		STORY(thread_pool_fires_for_a_library),
		STORY(thread_pool_is_silent_about_a_library_without_threads),
		STORY(during_import_is_proved_by_the_wait),
		STORY(during_import_warns_at_the_fork),
		STORY(during_import_notes_an_import_of_the_forking_thread),
		STORY(during_import_is_silent_before_exec_and_about_repairs),
		STORY(preexec_fn_is_proved_by_the_wait),
		STORY(preexec_fn_warns_before_exec),
		STORY(preexec_fn_is_silent_without_one_or_without_threads),
		STORY(handler_deadlock_fires_inside_a_handler),
		STORY(handler_deadlock_is_proved_by_a_wait_for_a_lock_that_was_kept),
		STORY(handler_deadlock_warns_of_a_lock_that_was_kept),
		STORY(handler_deadlock_is_silent_outside_of_handlers),
		STORY(a_wait_is_told_by_one_rule_at_most),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
