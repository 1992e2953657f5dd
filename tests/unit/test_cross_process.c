/*
 * Conclusions from claims, frames and ends of processes, and those that must not be drawn.
 * Neighbour: tools/waits/cross_process.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/proc/process/cgroup.h"
#include "../../tools/waits/cross_process.h"
#include "log_writer.h"

#define LIB "/usr/lib/python3.11/multiprocessing/"
#define SEM "SemLock.__init__\t" LIB "synchronize.py\t57\n"
#define LOCK \
	SEM "Lock.__init__\t" LIB "synchronize.py\t162\nBaseContext.Lock\t" LIB "context.py\t68\n"
#define USER "<module>\t/home/u/train.py\t8\n"
#define QUEUE_LOCK                                                           \
	LOCK "Queue.__init__\t" LIB "queues.py\t43\nBaseContext.Queue\t" LIB \
	     "context.py\t103\n" USER
#define CONDITION(line)                                                                   \
	SEM "Semaphore.__init__\t" LIB "synchronize.py\t126\nBaseContext.Semaphore\t" LIB \
	    "context.py\t83\nCondition.__init__\t" LIB "synchronize.py\t" line            \
	    "\nBaseContext.Condition\t" LIB "context.py\t78\n" USER

static struct cross_process_lock lock;
static struct cross_process_claims claims;

static void claim(bool gone, uint64_t tag)
{
	struct pshared_taker taker = {.slot = 3, .tid = 30 + gone, .tag = tag, .gone = gone};

	cross_process_add(&taker, &claims);
}

static int begin(void **state)
{
	(void)state;
	lock = (struct cross_process_lock){.first = 1, .made = QUEUE_LOCK};
	claims = (struct cross_process_claims){0};
	return 0;
}

static void owner_gone_is_proved_for_locks_of_multiprocessing(void **state)
{
	(void)state;
	claim(false, MPSAN_TAG_WANTED);
	claim(true, 0);
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_PROOF);
	assert_int_equal(claims.dead.tid, 31);
	lock.made = "__init__\t" LIB "synchronize.py\t57\nRLock\t" LIB "context.py\t73\n" USER;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_PROOF);
}

static void owner_gone_is_doubted_where_the_program_may_release(void **state)
{
	(void)state;
	claim(true, 0);
	lock.made = LOCK USER;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_DOUBT);
	lock.made = NULL;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_DOUBT);
	lock.all_wait = true;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_PROOF);
}

static void owner_gone_is_not_said_while_somebody_may_hold_it(void **state)
{
	(void)state;
	claim(true, MPSAN_TAG_WANTED);
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_NO);
	claim(true, 0);
	lock.strangers = true;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_NO);
	lock.strangers = false;
	lock.value = 1;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_NO);
	lock.value = 0;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_PROOF);
	claim(false, 0);
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_NO);
}

static void owner_gone_is_not_said_of_signals_and_counters(void **state)
{
	(void)state;
	claim(true, 0);
	lock.first = 0;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_NO);
	lock.first = 5;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_NO);
	lock.first = UINT64_MAX;
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_NO);
	claim(false, MPSAN_TAG_WANTED | MPSAN_TAG_MUTUAL);
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_PROOF);
	claim(false, MPSAN_TAG_WANTED | MPSAN_TAG_HANDOFF);
	assert_int_equal(cross_process_owner_gone(&lock, &claims), CROSS_NO);
}

static void waiter_gone_needs_a_post_that_lies_there(void **state)
{
	struct cross_process_lock sleeping = {.made = CONDITION("214")},
				  woken = {.made = CONDITION("215")},
				  wait = {.value = 1, .made = CONDITION("216")};

	(void)state;
	assert_int_equal(cross_process_waiter_gone(&sleeping, &woken, &wait, &claims), CROSS_NO);
	claim(true, MPSAN_TAG_WANTED);
	assert_int_equal(cross_process_waiter_gone(&sleeping, &woken, &wait, &claims), CROSS_PROOF);
	wait.value = 0;
	assert_int_equal(cross_process_waiter_gone(&sleeping, &woken, &wait, &claims), CROSS_NO);
	wait.value = 1;
	woken.value = 1;
	assert_int_equal(cross_process_waiter_gone(&sleeping, &woken, &wait, &claims), CROSS_NO);
	woken.value = 0;
	claim(false, MPSAN_TAG_WANTED);
	assert_int_equal(cross_process_waiter_gone(&sleeping, &woken, &wait, &claims), CROSS_NO);
}

static void waiter_gone_needs_a_condition(void **state)
{
	struct cross_process_lock sleeping = {.made = CONDITION("214")},
				  woken = {.made = CONDITION("215")},
				  wait = {.value = 1, .made = QUEUE_LOCK};

	(void)state;
	claim(true, MPSAN_TAG_WANTED);
	assert_int_equal(cross_process_waiter_gone(&sleeping, &woken, &wait, &claims), CROSS_NO);
	wait.made = CONDITION("216");
	wait.first = 1;
	assert_int_equal(cross_process_waiter_gone(&sleeping, &woken, &wait, &claims), CROSS_NO);
}

static void frames_say_what_a_pool_thread_does(void **state)
{
	static const struct {
		const char *python;
		enum cross_process_part part;
	} case_of[] = {
		{"Condition.wait\t/usr/lib/python3.11/threading.py\t320\nEvent.wait\t/usr/lib/python3.11/"
		 "threading.py\t622\nApplyResult.wait\t" LIB "pool.py\t768\nApplyResult.get\t" LIB
		 "pool.py\t771\nPool.map\t" LIB "pool.py\t367\n" USER,
		 CROSS_PART_WAITER},
		{"wait\t/usr/lib/python3.9/threading.py\t312\nnext\t/usr/lib/python3.9/multiprocessing/"
		 "pool.py\t853\n" USER,
		 CROSS_PART_WAITER},
		{"SemLock.__enter__\t" LIB "synchronize.py\t95\nSimpleQueue.get\t" LIB
		 "queues.py\t364\nworker\t" LIB "pool.py\t114\n",
		 CROSS_PART_WORKER_IDLE},
		{"Connection._recv\t" LIB "connection.py\t379\nget\t" LIB
		 "queues.py\t365\nworker\t" LIB "pool.py\t114\n",
		 CROSS_PART_WORKER_IDLE},
		{"square\t/home/u/train.py\t3\nmapstar\t" LIB "pool.py\t48\nworker\t" LIB
		 "pool.py\t125\n",
		 CROSS_PART_WORKER_BUSY},
		{"worker\t" LIB "pool.py\t125\n", CROSS_PART_WORKER_BUSY},
		{"Pool._handle_tasks\t" LIB "pool.py\t531\nThread.run\t/usr/lib/python3.11/"
		 "threading.py\t975\n",
		 CROSS_PART_TASKS_IDLE},
		{"Connection._send\t" LIB "connection.py\t368\n_handle_tasks\t" LIB
		 "pool.py\t540\n",
		 CROSS_PART_TASKS_BUSY},
		{"Connection._recv\t" LIB "connection.py\t379\n_ConnectionBase.recv\t" LIB
		 "connection.py\t250\nPool._handle_results\t" LIB "pool.py\t579\n",
		 CROSS_PART_RESULTS_IDLE},
		{"Pool._handle_results\t" LIB "pool.py\t579\n", CROSS_PART_RESULTS_OF_THREADS},
		{"note\t/home/u/train.py\t9\nApplyResult._set\t" LIB
		 "pool.py\t777\nPool._handle_results\t" LIB "pool.py\t592\n",
		 CROSS_PART_RESULTS_BUSY},
		{"wait\t/home/u/pool.py\t3\n" USER, CROSS_PART_NONE},
		{USER, CROSS_PART_NONE},
		{"no line", CROSS_PART_NONE},
		{"", CROSS_PART_NONE},
		{NULL, CROSS_PART_NONE},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(case_of) / sizeof(*case_of); i++)
		assert_int_equal(cross_process_part(case_of[i].python), case_of[i].part);
	assert_true(cross_process_makes_worker(
		"Popen._launch\t" LIB "popen_fork.py\t66\nPool._repopulate_pool_static\t" LIB
		"pool.py\t329\n"));
	assert_false(cross_process_makes_worker("Popen._launch\t" LIB "popen_fork.py\t66\n" USER));
}

/* One worker was killed with its task, the other waits for more in the read itself. */
static struct cross_process_worker worker[2];
static struct cross_process_pool pool;

static void pool_begin(void)
{
	worker[0] = (struct cross_process_worker){
		.slot = 1, .end = MPSAN_END_SIGNAL, .end_value = SIGKILL, .end_ns = 5};
	worker[1] = (struct cross_process_worker){.slot = 2,
						  .alive = true,
						  .blocked = true,
						  .reads = true,
						  .part = CROSS_PART_WORKER_IDLE};
	pool = (struct cross_process_pool){.pools = 1,
					   .tasks = CROSS_PART_TASKS_IDLE,
					   .results = CROSS_PART_RESULTS_IDLE,
					   .tasks_blocked = true,
					   .results_blocked = true,
					   .worker = worker,
					   .workers = 2};
}

static void a_lost_worker_is_found(void **state)
{
	(void)state;
	pool_begin();
	assert_int_equal(cross_process_worker_lost(&pool), 0);
}

static void no_worker_is_lost_while_a_result_may_come(void **state)
{
	(void)state;
	pool_begin();
	pool.pools = 2;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
	pool_begin();
	pool.tasks = CROSS_PART_TASKS_BUSY;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
	pool_begin();
	pool.results_blocked = false;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
	pool_begin();
	worker[1].part = CROSS_PART_WORKER_BUSY;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
	pool_begin();
	worker[1].blocked = false;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
	pool_begin();
	worker[1].reads = false;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
}

static void no_worker_is_lost_that_had_no_task(void **state)
{
	(void)state;
	pool_begin();
	worker[0].in_queue = true;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
	pool_begin();
	worker[0].end_value = SIGTERM;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
	pool_begin();
	worker[0].end = MPSAN_END_EXIT;
	worker[0].end_value = 0;
	assert_int_equal(cross_process_worker_lost(&pool), CROSS_NONE);
	worker[0].end_value = 9;
	assert_int_equal(cross_process_worker_lost(&pool), 0);
}

static void a_worker_in_place_of_a_lost_one_is_enough(void **state)
{
	(void)state;
	pool_begin();
	assert_false(cross_process_worker_replaced(&pool));
	worker[1].replaces = true;
	assert_true(cross_process_worker_replaced(&pool));
	worker[1].part = CROSS_PART_WORKER_BUSY;
	assert_false(cross_process_worker_replaced(&pool));
	assert_true(cross_process_replaces_worker("Pool._maintain_pool\t/usr/lib/python3.11/"
						  "multiprocessing/pool.py\t337\n"));
	assert_false(cross_process_replaces_worker("Pool._repopulate_pool\t/usr/lib/python3.11/"
						   "multiprocessing/pool.py\t305\n"));
}

#define PARENT 7
#define MAKES_WORKER                                                                  \
	"Popen._launch\t" LIB "popen_fork.py\t66\nPool._repopulate_pool_static\t" LIB \
	"pool.py\t329\n"
#define MAKES_TRACKER                                                                          \
	"ResourceTracker.ensure_running\t" LIB "resource_tracker.py\t122\nPopen._launch\t" LIB \
	"popen_spawn_posix.py\t38\nPool._repopulate_pool_static\t" LIB "pool.py\t329\n"
#define QUEUE_OF_POOL LOCK "Pool._setup_queues\t" LIB "pool.py\t345\n" USER

static struct log_writer writer;
static struct reader reader;

/* A child that its parent made at this time, with these frames. */
static void makes(uint32_t child, enum mpsan_how how, uint64_t time_ns, const char *python)
{
	uint64_t fork = WRITE(&writer, PARENT, fork, time_ns, 100, .how = how,
			      .python = writer_text(&writer, PARENT, time_ns, python));
	struct mpsan_process *process = writer_process(&writer, child, PARENT, time_ns + 1);

	process->how = (uint8_t)how;
	process->fork_pos = how == MPSAN_HOW_FORK ? fork : 0;
}

static void count_worker(uint32_t child, void *context)
{
	uint32_t *children = context;

	*children |= 1u << child;
}

static void workers_are_known_by_the_frames_that_made_them(void **state)
{
	uint32_t children = 0;

	(void)state;
	writer_create(&writer);
	writer_process(&writer, PARENT, UINT32_MAX, 1);
	makes(1, MPSAN_HOW_FORK, 10, MAKES_WORKER);
	makes(2, MPSAN_HOW_FORK, 20, USER);
	makes(3, MPSAN_HOW_VFORK, 30, MAKES_TRACKER);
	makes(4, MPSAN_HOW_VFORK, 40, MAKES_WORKER);
	makes(5, MPSAN_HOW_VFORK, 50, USER);
	assert_null(reader_open(&reader, writer.dir, true));
	reader_poll(&reader, clock_ns(CLOCK_MONOTONIC));
	cross_process_workers(&reader, PARENT, count_worker, &children);
	assert_int_equal(children, 1u << 1 | 1u << 4);
	reader_close(&reader);
	writer_destroy(&writer);
}

/* The only claim of a process that was killed. */
static bool was_in_queue(const char *made)
{
	struct mpsan_thread thread = {
		.tid = 9, .holds_used = 1, .hold = {{MPSAN_TAG(0x1000, MPSAN_LOCK_SEMAPHORE), 0}}};
	struct shared *shared;
	uint64_t pos;
	bool was;

	writer_create(&writer);
	writer_process(&writer, PARENT, UINT32_MAX, 1);
	WRITE(&writer, PARENT, shared_lock, 5, 100, .lock = 0x1000, .device = 27, .inode = 4,
	      .value = 1, .python = writer_text(&writer, PARENT, 5, made));
	makes(1, MPSAN_HOW_FORK, 10, MAKES_WORKER);
	pos = writer_put(&writer, 1, EV_thread, 20, 9, &thread, sizeof(thread));
	((uint32_t *)(void *)(writer.log[1] + MPSAN_THREAD_INDEX))[0] = pos / MPSAN_UNIT;
	assert_null(reader_open(&reader, writer.dir, true));
	reader_poll(&reader, clock_ns(CLOCK_MONOTONIC));
	shared = pshared_create(&reader);
	pshared_begin(shared);
	was = cross_process_in_queue(&reader, shared, 1);
	pshared_destroy(shared);
	reader_close(&reader);
	writer_destroy(&writer);
	return was;
}

static void a_worker_in_its_queue_had_no_task(void **state)
{
	(void)state;
	assert_true(was_in_queue(QUEUE_OF_POOL));
	assert_false(was_in_queue(QUEUE_LOCK));
}

static void kills_for_memory_are_read_or_unknown(void **state)
{
	(void)state;
	assert_true(cgroup_oom_kills((uint32_t)getpid()) >= -1);
	assert_int_equal(cgroup_oom_kills(UINT32_MAX), -1);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(owner_gone_is_proved_for_locks_of_multiprocessing),
		STORY(owner_gone_is_doubted_where_the_program_may_release),
		STORY(owner_gone_is_not_said_while_somebody_may_hold_it),
		STORY(owner_gone_is_not_said_of_signals_and_counters),
		STORY(waiter_gone_needs_a_post_that_lies_there),
		STORY(waiter_gone_needs_a_condition),
		STORY(frames_say_what_a_pool_thread_does),
		STORY(a_lost_worker_is_found),
		STORY(no_worker_is_lost_while_a_result_may_come),
		STORY(no_worker_is_lost_that_had_no_task),
		STORY(a_worker_in_place_of_a_lost_one_is_enough),
		STORY(workers_are_known_by_the_frames_that_made_them),
		STORY(a_worker_in_its_queue_had_no_task),
		STORY(kills_for_memory_are_read_or_unknown),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
