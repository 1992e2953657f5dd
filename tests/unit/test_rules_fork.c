/*
 * Stories about the rules that speak at a fork. Neighbours: story_facts.h, test_rules_wait.c.
 */
#include "story_facts.h"

static struct world world;

static int begin(void **state)
{
	(void)state;
	world_init(&world);
	return 0;
}

static void child_execs(void)
{
	world.process[CHILD].exec_ns = 10 * SECOND + 1000;
}

static void child_exits(void)
{
	world.process[CHILD].gone = true;
	world.process[CHILD].gone_ns = 10 * SECOND + 1000;
}

static void threads_fires(void **state)
{
	(void)state;
	assert_grade(&world, TRIGGER_FORK, fork_threads, GRADE_NOTE);
}

static void threads_is_silent_before_exec(void **state)
{
	(void)state;
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_threads, GRADE_OFF);
}

static void threads_is_silent_with_one_thread(void **state)
{
	(void)state;
	world.fork.ev.threads = 1;
	assert_grade(&world, TRIGGER_FORK, fork_threads, GRADE_OFF);
}

static void nothing_is_said_of_spawns(void **state)
{
	static const uint64_t hows[] = {MPSAN_HOW_VFORK, MPSAN_HOW_POSIX_SPAWN, MPSAN_HOW_SYSTEM,
					MPSAN_HOW_POPEN};

	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	for (unsigned i = 0; i < sizeof(hows) / sizeof(*hows); i++) {
		world.fork.ev.how = hows[i];
		assert_int_equal(announce(&world, TRIGGER_FORK).count, 0);
	}
}

static void lock_held_fires_for_every_kind_of_lock(void **state)
{
	static const uint64_t kinds[] = {MPSAN_LOCK_MUTEX, MPSAN_LOCK_RWLOCK_READ,
					 MPSAN_LOCK_RWLOCK_WRITE, MPSAN_LOCK_SPIN};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		world_hold(&world, WORKER, kinds[i], MPSAN_LF_VERIFIED);
		assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_WARNING);
	}
	world_hold(&world, WORKER, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED | MPSAN_LF_MUTUAL);
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_WARNING);
}

static void lock_held_is_a_note_when_the_child_execs_or_ends(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_NOTE);
	world.process[CHILD].exec_ns = 0;
	child_exits();
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_NOTE);
}

static void lock_held_takes_a_late_exec_for_a_life_without(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world.process[CHILD].exec_ns = 10 * SECOND + FACT_CHILD_NS + 1;
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_WARNING);
}

static void lock_held_is_silent_about_what_is_no_lock_left_behind(void **state)
{
	static const struct {
		uint64_t kind, flags;
	} harmless[] = {
		{MPSAN_LOCK_MUTEX,
		 MPSAN_LF_VERIFIED | MPSAN_LF_SHARED}, /* the parent can still release it */
		{MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_WANTED},
		{MPSAN_LOCK_MUTEX, 0}, /* memory did not confirm it */
		{MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED}, /* an idle Python thread's sentinel */
		{MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED | MPSAN_LF_HANDOFF | MPSAN_LF_MUTUAL},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		world_hold(&world, WORKER, harmless[i].kind, harmless[i].flags);
		assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_OFF);
	}
}

static void lock_held_is_silent_about_a_repaired_lock(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world.held.repaired = true;
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_OFF);
}

static void own_lock_warns_at_the_fork(void **state)
{
	(void)state;
	world_hold(&world, MAIN_THREAD, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_ERRORCHECK);
	assert_grade(&world, TRIGGER_FORK, fork_own_lock, GRADE_WARNING);
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_OFF);
	child_exits();
	assert_grade(&world, TRIGGER_FORK, fork_own_lock, GRADE_NOTE);
}

static void own_lock_is_silent_about_the_locks_of_others(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	assert_grade(&world, TRIGGER_FORK, fork_own_lock, GRADE_OFF);
}

static void queue_feeder_fires(void **state)
{
	(void)state;
	world.fork.ev.feeder = 1;
	assert_grade(&world, TRIGGER_FORK, fork_queue_feeder, GRADE_NOTE);
	world.fork.ev.flags = MPSAN_FORK_FEEDER_BUSY;
	assert_grade(&world, TRIGGER_FORK, fork_queue_feeder, GRADE_WARNING);
}

static void queue_feeder_is_silent_without_one_or_before_exec(void **state)
{
	(void)state;
	assert_grade(&world, TRIGGER_FORK, fork_queue_feeder, GRADE_OFF);
	world.fork.ev.feeder = 1;
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_queue_feeder, GRADE_OFF);
}

static void start_method_fires_with_torch(void **state)
{
	(void)state;
	world.fork.ev.flags = MPSAN_FORK_TORCH;
	assert_grade(&world, TRIGGER_FORK, fork_start_method, GRADE_NOTE);
}

static void start_method_is_silent_without_torch_or_before_exec(void **state)
{
	(void)state;
	assert_grade(&world, TRIGGER_FORK, fork_start_method, GRADE_OFF);
	world.fork.ev.flags = MPSAN_FORK_TORCH;
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_start_method, GRADE_OFF);
}

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

/* Forks of one process, each by a thread that is not its first one, each with a child that lives. */
#define LATE 4
static struct fact_fork late[LATE];

static void fork_late_times(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		late[i] = world.fork;
		late[i].at.tid = WORKER;
		late[i].ev.threads = 3;
		late[i].child = FACT_NONE;
		late[i].late = i ? i - 1 : FACT_NONE;
	}
	world.facts.forks = late;
	world.facts.fork_count = count;
}

static enum grade late_grade(uint32_t fork)
{
	struct trigger trigger = {TRIGGER_FORK, fork};
	struct verdict verdict = {.sink = {verdict_add}};

	rules_run(&world.facts, &trigger, &verdict.sink);
	return grade_of(&verdict, RULE_fork_late);
}

static void late_fires_once_as_a_note(void **state)
{
	(void)state;
	fork_late_times(2);
	assert_int_equal(late_grade(0), GRADE_NOTE);
	assert_int_equal(late_grade(1), GRADE_NOTE);
}

static void late_warns_from_the_third_on(void **state)
{
	(void)state;
	fork_late_times(LATE);
	assert_int_equal(late_grade(2), GRADE_WARNING);
	assert_int_equal(late_grade(3), GRADE_WARNING);
	late[2].ev.threads = 2; /* the main thread and the one that forks */
	assert_int_equal(late_grade(2), GRADE_NOTE);
}

static void late_warns_not_of_forks_before_exec(void **state)
{
	(void)state;
	fork_late_times(LATE);
	late[0].child = late[1].child = CHILD;
	child_execs();
	assert_int_equal(late_grade(0), GRADE_OFF);
	assert_int_equal(late_grade(2), GRADE_NOTE);
	assert_int_equal(late_grade(3), GRADE_NOTE);
}

static void late_is_silent_about_the_main_thread(void **state)
{
	(void)state;
	fork_late_times(LATE);
	late[3].at.tid = MAIN_THREAD;
	assert_int_equal(late_grade(3), GRADE_OFF);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(threads_fires),
		STORY(threads_is_silent_before_exec),
		STORY(threads_is_silent_with_one_thread),
		STORY(nothing_is_said_of_spawns),
		STORY(lock_held_fires_for_every_kind_of_lock),
		STORY(lock_held_is_a_note_when_the_child_execs_or_ends),
		STORY(lock_held_takes_a_late_exec_for_a_life_without),
		STORY(lock_held_is_silent_about_what_is_no_lock_left_behind),
		STORY(lock_held_is_silent_about_a_repaired_lock),
		STORY(own_lock_warns_at_the_fork),
		STORY(own_lock_is_silent_about_the_locks_of_others),
		STORY(queue_feeder_fires),
		STORY(queue_feeder_is_silent_without_one_or_before_exec),
		STORY(start_method_fires_with_torch),
		STORY(start_method_is_silent_without_torch_or_before_exec),
		STORY(late_fires_once_as_a_note),
		STORY(late_warns_from_the_third_on),
		STORY(late_warns_not_of_forks_before_exec),
		STORY(late_is_silent_about_the_main_thread),
		STORY(server_threads_fires),
		STORY(server_threads_is_silent_about_one_thread_and_about_workers),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
