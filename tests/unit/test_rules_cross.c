/*
 * Stories about the rules that speak of deadlocks across processes. Neighbours: story_facts.h,
 * tools/rules/deadlock.h.
 */
#include "story_facts.h"

#include "../../tools/rules/deadlock.h"

static struct world world;
static struct fact_blocked blocked[4];
static struct fact_deadlock deadlock;

static int begin(void **state)
{
	(void)state;
	world_init(&world);
	memset(blocked, 0, sizeof(blocked));
	deadlock = (struct fact_deadlock){.at = {2, PARENT, MAIN_THREAD, 8192, 12 * SECOND}};
	world.facts.blockeds = blocked;
	world.facts.deadlocks = &deadlock;
	world.facts.deadlock_count = 1;
	return 0;
}

/* One more thread of the deadlock, which waits in this way. */
static struct ev_blocked *blocks(uint64_t kind, uint64_t flags)
{
	struct fact_blocked *one = &blocked[world.facts.blocked_count++];

	*one = (struct fact_blocked){.at = {2, PARENT, MAIN_THREAD, 8192, 12 * SECOND},
				     .ev = {.lock = 0x1000, .kind = kind, .flags = flags}};
	deadlock.end = world.facts.blocked_count;
	return &one->ev;
}

#define assert_deadlock(stated, rule, grade)                         \
	do {                                                         \
		deadlock.ev.cause = (stated);                        \
		assert_grade(&world, TRIGGER_DEADLOCK, rule, grade); \
	} while (0)

/* Nobody but the given rule speaks. */
static void assert_alone(enum rule_id rule)
{
	struct verdict verdict = announce(&world, TRIGGER_DEADLOCK);

	assert_int_equal(verdict.count, 1);
	assert_int_equal(verdict.last[0].rule, rule);
	assert_int_equal(verdict.last[0].deadlock, 0);
	assert_int_equal(verdict.last[0].message_text->step[0].role, STEP_BLOCKED);
}

static void owner_killed_fires_for_mutexes_and_semaphores_that_are_locks(void **state)
{
	static const uint64_t kinds[] = {MPSAN_LOCK_MUTEX, MPSAN_LOCK_RWLOCK_READ,
					 MPSAN_LOCK_RWLOCK_WRITE, MPSAN_LOCK_SEMAPHORE};

	(void)state;
	blocks(0, MPSAN_LF_SHARED | MPSAN_LF_MUTUAL);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		blocked[0].ev.kind = kinds[i];
		assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, lock_owner_killed, GRADE_ERROR);
		assert_alone(RULE_lock_owner_killed);
	}
}

static void owner_killed_warns_where_another_process_could_release(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, lock_owner_killed, GRADE_WARNING);
}

static void owner_killed_wins_over_the_pipes_of_its_deadlock(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED | MPSAN_LF_MUTUAL);
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, lock_owner_killed, GRADE_ERROR);
	assert_alone(RULE_lock_owner_killed);
}

static void owner_killed_is_silent_about_waits_that_can_end(void **state)
{
	static const uint64_t flags[] = {MPSAN_LF_TIMED, MPSAN_LF_ROBUST, MPSAN_LF_HANDOFF};

	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, 0);
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		blocked[0].ev.flags = MPSAN_LF_SHARED | MPSAN_LF_MUTUAL | flags[i];
		assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, lock_owner_killed, GRADE_OFF);
	}
	blocked[0].ev.flags = MPSAN_LF_MUTUAL;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, lock_owner_killed, GRADE_OFF);
	assert_deadlock(MPSAN_DEADLOCK_LONG, lock_owner_killed, GRADE_OFF);
}

static void waiter_killed_fires_on_an_untimed_notify(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	assert_deadlock(MPSAN_DEADLOCK_WAITER_GONE, waiter_killed, GRADE_ERROR);
	assert_alone(RULE_waiter_killed);
}

static void waiter_killed_is_silent_otherwise(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	assert_deadlock(MPSAN_DEADLOCK_OWNER_GONE, waiter_killed, GRADE_OFF);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, waiter_killed, GRADE_OFF);
	blocked[0].ev.flags |= MPSAN_LF_TIMED;
	assert_deadlock(MPSAN_DEADLOCK_WAITER_GONE, waiter_killed, GRADE_OFF);
}

static void worker_lost_fires_on_an_untimed_get(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, 0);
	assert_deadlock(MPSAN_DEADLOCK_TASK_LOST, worker_lost, GRADE_ERROR);
	assert_alone(RULE_worker_lost);
}

static void worker_lost_is_silent_otherwise(void **state)
{
	(void)state;
	blocks(MPSAN_LOCK_SEMAPHORE, 0);
	assert_deadlock(MPSAN_DEADLOCK_LONG, worker_lost, GRADE_OFF);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, worker_lost, GRADE_OFF);
	blocked[0].ev.flags |= MPSAN_LF_TIMED;
	assert_deadlock(MPSAN_DEADLOCK_TASK_LOST, worker_lost, GRADE_OFF);
}

static void drain_fires_on_a_join_of_a_writer(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_JOIN, 0);
	blocks(MPSAN_WAIT_PIPE_WRITE, 0);
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, join_before_drain, GRADE_ERROR);
	assert_alone(RULE_join_before_drain);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, join_before_drain, GRADE_ERROR);
	assert_alone(RULE_join_before_drain);
}

static void drain_is_told_rather_than_the_readers_of_other_pipes(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	blocks(MPSAN_WAIT_PIPE_WRITE, 0);
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_alone(RULE_join_before_drain);
}

static void drain_is_silent_without_a_join_or_a_writer(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PIPE_WRITE, 0);
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, join_before_drain, GRADE_OFF);
	blocked[0].ev.kind = MPSAN_WAIT_PROCESS;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, join_before_drain, GRADE_OFF);
	blocks(MPSAN_WAIT_PIPE_WRITE, 0);
	assert_deadlock(MPSAN_DEADLOCK_LONG, join_before_drain, GRADE_OFF);
}

static void sentinel_fires_on_a_join_of_readers(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, missing_sentinel, GRADE_ERROR);
	assert_alone(RULE_missing_sentinel);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_ERROR);
	assert_alone(RULE_missing_sentinel);
}

static void sentinel_is_silent_without_a_join_or_a_reader(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_OFF);
	blocked[0].ev.kind = MPSAN_WAIT_PROCESS;
	assert_deadlock(MPSAN_DEADLOCK_CYCLE, missing_sentinel, GRADE_OFF);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	assert_deadlock(MPSAN_DEADLOCK_LONG, missing_sentinel, GRADE_OFF);
}

static void sentinel_is_silent_when_only_a_helper_reads(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PROCESS, 0);
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	blocks(MPSAN_WAIT_PIPE_READ, 0);
	blocked[2].at.by = CHILD;
	world.slot[CHILD].argv_bytes = (uint32_t)strlen(strcpy(
		world.slot[CHILD].argv, "from multiprocessing.resource_tracker import main"));
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, missing_sentinel, GRADE_OFF);
	assert_alone(RULE_deadlock_cycle);
}

static void a_death_without_a_waiter_is_nobodys(void **state)
{
	static const uint64_t causes[] = {0, MPSAN_DEADLOCK_OWNER_GONE, MPSAN_DEADLOCK_WAITER_GONE,
					  MPSAN_DEADLOCK_TASK_LOST, MPSAN_DEADLOCK_LONG + 1};

	(void)state;
	for (unsigned i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		deadlock.ev.cause = causes[i];
		assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 0);
	}
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(owner_killed_fires_for_mutexes_and_semaphores_that_are_locks),
		STORY(owner_killed_warns_where_another_process_could_release),
		STORY(owner_killed_wins_over_the_pipes_of_its_deadlock),
		STORY(owner_killed_is_silent_about_waits_that_can_end),
		STORY(waiter_killed_fires_on_an_untimed_notify),
		STORY(waiter_killed_is_silent_otherwise),
		STORY(worker_lost_fires_on_an_untimed_get),
		STORY(worker_lost_is_silent_otherwise),
		STORY(drain_fires_on_a_join_of_a_writer),
		STORY(drain_is_told_rather_than_the_readers_of_other_pipes),
		STORY(drain_is_silent_without_a_join_or_a_writer),
		STORY(sentinel_fires_on_a_join_of_readers),
		STORY(sentinel_is_silent_without_a_join_or_a_reader),
		STORY(sentinel_is_silent_when_only_a_helper_reads),
		STORY(a_death_without_a_waiter_is_nobodys),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
