/*
 * What Python frames say about a wait, on stacks as several versions of Python show them. Neighbour:
 * tools/facts/awaited.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
/* clang-format on */

#include "facts/awaited.h"

#define LIB "/usr/lib/python3.11"
#define OWN "main\t/home/a/train.py\t12\n"

static void assert_awaited(const char *frames, const char *phrase, const char *object)
{
	struct awaited_frames read = awaited_of(frames);

	assert_string_equal(awaited_phrase(read.what), phrase);
	assert_string_equal(awaited_object(read.what), object);
}

static void nothing_is_known_of_own_frames(void **state)
{
	(void)state;
	assert_awaited(NULL, "", "");
	assert_awaited("", "", "");
	assert_awaited("no tabs at all", "", "");
	assert_awaited(OWN, "", "");
	/* a method of the same name, in a file of the same name, of the program */
	assert_awaited("Queue.get\t/home/a/queue.py\t3\n" OWN, "", "");
	assert_awaited("Queue.get\t/usr/lib/python3/dist-packages/x/queue.py\t3\n" OWN, "", "");
}

static void the_outermost_call_of_the_library_counts(void **state)
{
	(void)state;
	assert_awaited("Condition.wait\t" LIB "/threading.py\t320\n" OWN, "a notify of ",
		       "Condition");
	assert_awaited("Condition.wait\t" LIB "/threading.py\t320\n"
		       "Event.wait\t" LIB "/threading.py\t629\n" OWN,
		       "Event.set", "");
	assert_awaited("Condition.wait\t" LIB "/threading.py\t320\n"
		       "Queue.get\t" LIB "/queue.py\t171\n" OWN,
		       "an item of ", "queue.Queue");
	assert_awaited("Condition.wait\t" LIB "/threading.py\t320\n"
		       "Future.result\t" LIB "/concurrent/futures/_base.py\t451\n" OWN,
		       "the result of ", "Future");
}

static void frames_beyond_the_programs_own_do_not_count(void **state)
{
	(void)state;
	assert_awaited("Condition.wait\t" LIB "/threading.py\t320\n" OWN "Queue.get\t" LIB
		       "/queue.py\t171\n",
		       "a notify of ", "Condition");
}

static void classes_may_be_missing(void **state)
{
	(void)state;
	assert_awaited("wait\t/opt/lib/python3.9/threading.py\t312\n"
		       "get\t/opt/lib/python3.9/queue.py\t171\n",
		       "an item of ", "queue.Queue");
	assert_awaited("_recv\t/opt/lib/python3.9/multiprocessing/connection.py\t384\n"
		       "get\t/opt/lib/python3.9/multiprocessing/queues.py\t103\n",
		       "an item of ", "multiprocessing queue");
}

static void a_lock_is_apart_from_what_is_sent(void **state)
{
	struct awaited_frames entered =
		awaited_of("Condition.__enter__\t" LIB "/threading.py\t273\n" OWN);

	(void)state;
	assert_int_equal(awaited_nature(entered.what), AWAITED_LOCK);
	assert_int_equal(
		awaited_nature(awaited_of("Condition.wait\t" LIB "/threading.py\t320\n").what),
		AWAITED_LOCAL);
	assert_int_equal(
		awaited_nature(awaited_of("Thread.join\t" LIB "/threading.py\t1119\n").what),
		AWAITED_END);
}

static void a_loop_waits_for_nothing_while_it_runs_a_callback(void **state)
{
	static const char run_once[] = "BaseEventLoop._run_once\t" LIB
				       "/asyncio/base_events.py\t1922\n";
	static const char handle[] = "Handle._run\t" LIB "/asyncio/events.py\t80\n"
				     "BaseEventLoop._run_once\t" LIB
				     "/asyncio/base_events.py\t1922\n";
	static const char within[] = OWN "Handle._run\t" LIB "/asyncio/events.py\t80\n"
					 "BaseEventLoop._run_once\t" LIB
					 "/asyncio/base_events.py\t1922\n";

	(void)state;
	assert_int_equal(awaited_of(run_once).what, AWAITED_LOOP);
	assert_int_equal(awaited_of(handle).what, AWAITED_NOTHING);
	assert_int_equal(awaited_of(within).what, AWAITED_NOTHING);
	assert_true(awaited_of(within).in_callback);
	assert_false(awaited_of(run_once).in_callback);
}

static void threads_of_a_pool_and_of_a_manager_are_known_by_what_they_run(void **state)
{
	(void)state;
	assert_true(awaited_of("Pool._handle_results\t" LIB "/multiprocessing/pool.py\t579\n")
			    .delivers);
	assert_false(
		awaited_of("Pool._handle_tasks\t" LIB "/multiprocessing/pool.py\t531\n").delivers);
	assert_true(awaited_of("Server.serve_client\t" LIB "/multiprocessing/managers.py\t273\n")
			    .serves);
	assert_false(awaited_of(OWN).serves);
}

static void a_task_runs_in_a_thread_of_a_pool(void **state)
{
	static const char task[] = OWN "_WorkItem.run\t" LIB "/concurrent/futures/thread.py\t58\n"
				       "_worker\t" LIB "/concurrent/futures/thread.py\t83\n";
	static const char idle[] = "_worker\t" LIB "/concurrent/futures/thread.py\t81\n";

	(void)state;
	assert_true(awaited_of(task).in_task);
	assert_false(awaited_of(idle).in_task);
	assert_awaited(idle, "a task of its executor", "");
}

#define GET "SimpleQueue.get\t" LIB "/multiprocessing/queues.py\t365\n"
#define CALL_GET "Queue.get\t" LIB "/multiprocessing/queues.py\t103\n"
#define POOL "worker\t" LIB "/multiprocessing/pool.py\t125\n"
#define EXECUTOR "_process_worker\t" LIB "/concurrent/futures/process.py\t261\n"
#define THREAD "_worker\t" LIB "/concurrent/futures/thread.py\t83\n"
#define ITEM "_WorkItem.run\t" LIB "/concurrent/futures/thread.py\t58\n"
#define IN_PROCESS "BaseProcess.run\t" LIB "/multiprocessing/process.py\t108\n"
#define IN_THREAD "Thread.run\t" LIB "/threading.py\t982\n"

static void a_task_may_be_written_in_c(void **state)
{
	static const char *const busy[] = {
		ITEM THREAD IN_THREAD,
		EXECUTOR IN_PROCESS,
		POOL IN_PROCESS,
		"mapstar\t" LIB "/multiprocessing/pool.py\t48\n" POOL IN_PROCESS,
		"mapstar\t" LIB "/multiprocessing/pool.py\t48\n" POOL IN_THREAD,
		"_process_chunk\t" LIB "/concurrent/futures/process.py\t205\n" EXECUTOR IN_PROCESS,
		"Queue.get\t" LIB
		"/queue.py\t171\n" ITEM THREAD IN_THREAD, /* of the program's queue */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(busy) / sizeof(*busy); i++) {
		assert_true(awaited_of(busy[i]).in_task);
		assert_false(awaited_of(busy[i]).either);
		assert_int_equal(awaited_of(busy[i]).what, AWAITED_NOTHING);
	}
}

static void a_worker_gets_its_task_from_a_queue(void **state)
{
	static const char recv[] = "Connection._recv\t" LIB "/multiprocessing/connection.py\t384\n";
	static const char lock[] = "SemLock.__enter__\t" LIB
				   "/multiprocessing/synchronize.py\t95\n";
	static const struct {
		const char *inside, *outside;
		enum awaited what;
	} idle[] = {
		{recv, GET POOL IN_PROCESS, AWAITED_POOL_WORK},
		{lock, GET POOL IN_PROCESS, AWAITED_POOL_WORK},
		{recv, CALL_GET EXECUTOR IN_PROCESS, AWAITED_EXECUTOR_WORK},
		{lock, CALL_GET EXECUTOR IN_PROCESS, AWAITED_EXECUTOR_WORK},
		{"", THREAD IN_THREAD, AWAITED_EXECUTOR_WORK},
		/* the child of a task of another pool */
		{recv, GET POOL IN_PROCESS OWN ITEM THREAD, AWAITED_POOL_WORK},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++) {
		char frames[1000];

		snprintf(frames, sizeof(frames), "%s%s", idle[i].inside, idle[i].outside);
		assert_false(awaited_of(frames).in_task);
		assert_false(awaited_of(frames).either);
		assert_int_equal(awaited_of(frames).what, idle[i].what);
	}
	/* a ThreadPool's queue is written in C, and so may be its tasks */
	assert_true(awaited_of(POOL IN_THREAD).either);
	assert_int_equal(awaited_of(POOL IN_THREAD).what, AWAITED_POOL_WORK);
}

#define WAIT "Condition.wait\t" LIB "/threading.py\t320\n"
#define EVENT WAIT "Event.wait\t" LIB "/threading.py\t629\n"
#define MP LIB "/multiprocessing"
#define LOCKED "SemLock.__enter__\t" MP "/synchronize.py\t95\n"
#define RECV "Connection._recv\t" MP "/connection.py\t384\n"
#define SELECT "_PollLikeSelector.select\t" LIB "/selectors.py\t415\n"
#define REPLY RECV "BaseProxy._callmethod\t" MP "/managers.py\t822\n"
#define C10D "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py"

struct story {
	const char *frames;
	enum parked_wait meant;
};

static void assert_meant(const struct story *story, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (awaited_of(story[i].frames).meant != story[i].meant)
			fail_msg("%zu: %s", i, story[i].frames);
}

#define ASSERT_MEANT(...)                                                  \
	do {                                                               \
		static const struct story stories[] = {__VA_ARGS__};       \
		assert_meant(stories, sizeof(stories) / sizeof(*stories)); \
	} while (0)

static void the_frames_leave_it_to_the_call(void **state)
{
	(void)state;
	ASSERT_MEANT({OWN, PARKED_BY_CALL},
		     {"Queue.get\t/home/a/queue.py\t3\n" OWN, PARKED_BY_CALL},
		     {SELECT OWN, PARKED_BY_CALL},
		     {SELECT "wait\t" MP "/connection.py\t1136\n" OWN, PARKED_BY_CALL},
		     {"socket.accept\t" LIB "/socket.py\t294\n" OWN, PARKED_BY_CALL},
		     {"Connection._send\t" MP "/connection.py\t384\n"
		      "Queue._feed\t" MP "/queues.py\t271\n",
		      PARKED_BY_CALL},
		     {"sleep\t" LIB "/asyncio/tasks.py\t639\n" OWN "BaseEventLoop._run_once\t" LIB
		      "/asyncio/base_events.py\t1922\n",
		      PARKED_BY_CALL},
		     /* in C, in its queue or in a task */
		     {POOL IN_THREAD, PARKED_BY_CALL});
}

static void who_waits_for_work_is_idle(void **state)
{
	(void)state;
	ASSERT_MEANT({WAIT OWN, PARKED_IDLE},
		     {WAIT "Condition.wait_for\t" LIB "/threading.py\t350\n" OWN, PARKED_IDLE},
		     {WAIT "Queue.get\t" LIB "/queue.py\t171\n" OWN, PARKED_IDLE},
		     {RECV "_ConnectionBase.recv\t" MP "/connection.py\t250\n" OWN, PARKED_IDLE},
		     {RECV CALL_GET OWN, PARKED_IDLE},
		     /* beside another that reads, or with a limit */
		     {LOCKED CALL_GET OWN, PARKED_IDLE}, {CALL_GET OWN, PARKED_IDLE},
		     {LOCKED GET POOL IN_PROCESS, PARKED_IDLE}, {THREAD IN_THREAD, PARKED_IDLE},
		     {WAIT "Queue._feed\t" MP "/queues.py\t250\n", PARKED_IDLE},
		     {REPLY OWN, PARKED_IDLE},
		     {"Condition.wait\t" MP "/synchronize.py\t261\n"
		      "Event.wait\t" MP "/synchronize.py\t349\n" OWN,
		      PARKED_IDLE},
		     {"Queue.get\t" LIB "/asyncio/queues.py\t158\n" OWN, PARKED_IDLE},
		     {"recv\t" C10D "\t1640\n" OWN, PARKED_IDLE});
	/* a permit may be a signal, or not: see parked_part */
	assert_int_equal(
		awaited_of(WAIT "Semaphore.acquire\t" LIB "/threading.py\t478\n" OWN).meant,
		PARKED_IDLE);
}

static void who_waits_for_an_answer_is_busy(void **state)
{
	(void)state;
	ASSERT_MEANT(
		{WAIT "Queue.put\t" LIB "/queue.py\t140\n" OWN, PARKED_BLOCKED},
		{WAIT "Queue.join\t" LIB "/queue.py\t90\n" OWN, PARKED_BLOCKED},
		{"Queue.put\t" MP "/queues.py\t88\n" OWN, PARKED_BLOCKED},
		{LOCKED OWN, PARKED_BLOCKED},
		{LOCKED "SimpleQueue.put\t" MP "/queues.py\t372\n" OWN, PARKED_BLOCKED},
		{EVENT "ApplyResult.wait\t" MP "/pool.py\t768\n" OWN, PARKED_BLOCKED},
		{REPLY "AcquirerProxy.__enter__\t" MP "/managers.py\t1060\n" OWN, PARKED_BLOCKED},
		{SELECT "Popen._communicate\t" LIB "/subprocess.py\t2075\n" OWN, PARKED_BLOCKED},
		{"Lock.acquire\t" LIB "/asyncio/locks.py\t121\n" OWN, PARKED_BLOCKED},
		{"Event.wait\t" LIB "/asyncio/locks.py\t213\n"
		 "Queue.join\t" LIB "/asyncio/queues.py\t216\n" OWN,
		 PARKED_BLOCKED},
		{"all_reduce\t" C10D "\t2050\n" OWN, PARKED_BLOCKED},
		{"send\t" C10D "\t1600\n" OWN, PARKED_BLOCKED},
		{EVENT "Thread.start\t" LIB "/threading.py\t969\n" OWN, PARKED_BLOCKED});
}

static void joins_meetings_and_waits_for_good(void **state)
{
	(void)state;
	ASSERT_MEANT({"Thread.join\t" LIB "/threading.py\t1119\n" OWN, PARKED_JOINS},
		     {WAIT "Future.result\t" LIB "/concurrent/futures/_base.py\t451\n" OWN,
		      PARKED_JOINS},
		     {EVENT "wait\t" LIB "/concurrent/futures/_base.py\t305\n" OWN, PARKED_JOINS},
		     {WAIT "Condition.wait_for\t" LIB "/threading.py\t350\n"
			   "Barrier._wait\t" LIB "/threading.py\t722\n" OWN,
		      PARKED_MEETS},
		     {EVENT OWN, PARKED_INTENDED},
		     {"Event.wait\t" LIB "/asyncio/locks.py\t213\n" OWN, PARKED_INTENDED});
	assert_true(awaited_is_result(
		awaited_of(WAIT "Future.result\t" LIB "/concurrent/futures/_base.py\t451\n")));
	assert_false(awaited_is_result(awaited_of("Thread.join\t" LIB "/threading.py\t1119\n")));
}

/* Copies of multiprocessing, and programs that bring the library along, in which paths are relative. */
static void the_library_may_stand_elsewhere(void **state)
{
	(void)state;
	ASSERT_MEANT(
		{"wait\tthreading.py\t320\nget\tqueue.py\t171\n" OWN, PARKED_IDLE},
		{"SemLock.__enter__\t/v/lib/python3.11/site-packages/multiprocess/synchronize.py\t9\n"
		 "Queue.get\t/v/lib/python3.11/site-packages/multiprocess/queues.py\t10\n" OWN,
		 PARKED_IDLE},
		{"_recv\t/v/lib/python3.11/site-packages/billiard/connection.py\t9\n" OWN,
		 PARKED_IDLE},
		{"_recv\t/home/a/billiards/connection.py\t9\n" OWN, PARKED_BY_CALL},
		{"get\ttools/queue.py\t171\n" OWN, PARKED_BY_CALL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_of_own_frames),
		cmocka_unit_test(the_outermost_call_of_the_library_counts),
		cmocka_unit_test(frames_beyond_the_programs_own_do_not_count),
		cmocka_unit_test(classes_may_be_missing),
		cmocka_unit_test(a_lock_is_apart_from_what_is_sent),
		cmocka_unit_test(a_loop_waits_for_nothing_while_it_runs_a_callback),
		cmocka_unit_test(threads_of_a_pool_and_of_a_manager_are_known_by_what_they_run),
		cmocka_unit_test(a_task_runs_in_a_thread_of_a_pool),
		cmocka_unit_test(a_task_may_be_written_in_c),
		cmocka_unit_test(a_worker_gets_its_task_from_a_queue),
		cmocka_unit_test(the_frames_leave_it_to_the_call),
		cmocka_unit_test(who_waits_for_work_is_idle),
		cmocka_unit_test(who_waits_for_an_answer_is_busy),
		cmocka_unit_test(joins_meetings_and_waits_for_good),
		cmocka_unit_test(the_library_may_stand_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
