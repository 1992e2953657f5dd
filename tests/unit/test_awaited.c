/*
 * What Python frames say about a wait, on stacks as several versions of Python show them. Neighbour:
 * tools/facts/awaited.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
		AWAITED_SENT);
	assert_int_equal(
		awaited_nature(awaited_of("Thread.join\t" LIB "/threading.py\t1119\n").what),
		AWAITED_END);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_of_own_frames),
		cmocka_unit_test(the_outermost_call_of_the_library_counts),
		cmocka_unit_test(frames_beyond_the_programs_own_do_not_count),
		cmocka_unit_test(classes_may_be_missing),
		cmocka_unit_test(a_lock_is_apart_from_what_is_sent),
		cmocka_unit_test(a_task_runs_in_a_thread_of_a_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
