/* Stories of deadlock-cycle. Neighbours: story_deadlock.h, tools/rules/locks/deadlock_cycle.c. */
#include <signal.h>

#include "story_deadlock.h"

static void cycle_fires_on_circles_and_dead_ends(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_ERROR);
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_ERROR);
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 1);
}

static void cycle_is_silent_about_deadlocks_of_other_causes(void **state)
{
	(void)state;
	two_threads_wait();
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_OWNER_GONE;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	deadlock.end = 0;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
}

static void assert_title(const char *title)
{
	struct verdict verdict = announce(&world, TRIGGER_DEADLOCK);

	assert_int_equal(verdict.count, 1);
	assert_string_equal(verdict.last[0].title, title);
	assert_non_null(verdict.last[0].fix);
}

/* One thread waits in that way, as its frames say. */
static void assert_last(uint64_t kind, enum awaited what, const char *title)
{
	begin(NULL);
	blocks(kind, MPSAN_LF_PYTHON);
	blocked[0].frames.what = what;
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	assert_title(title);
}

static void a_dead_end_is_titled_by_its_last_wait(void **state)
{
	(void)state;
	assert_last(MPSAN_LOCK_SEMAPHORE, AWAITED_ITEM, "a queue without a producer");
	assert_last(MPSAN_WAIT_PIPE_READ, AWAITED_MP_ITEM, "a queue without a producer");
	blocked[0].ev.flags |= MPSAN_LF_QUEUED;
	assert_title("an item that was put and never came");
	blocked[0].frames.feeds = true; /* some thread of the deadlock has it to send */
	assert_title("a queue without a producer");
	blocked[0].frames.feeds = false;
	assert_last(MPSAN_WAIT_PIPE_WRITE, AWAITED_MP_SENT, "a full queue without a consumer");
	assert_last(MPSAN_LOCK_SEMAPHORE, AWAITED_DONE, "a queue waits for task_done()");
	assert_last(MPSAN_LOCK_SEMAPHORE, AWAITED_RESULT, "a result that nobody will set");
	assert_last(MPSAN_LOCK_SEMAPHORE, AWAITED_EVENT, "an event that nobody will set");
	assert_last(MPSAN_LOCK_SEMAPHORE, AWAITED_PERMIT, "a semaphore that nobody will release");
	assert_last(MPSAN_LOCK_SEMAPHORE, AWAITED_NOTHING,
		    "a lock or permit that nobody can release");
	blocked[0].ev.flags = 0;
	assert_title("a semaphore that nobody will release");
	assert_last(MPSAN_WAIT_COND, AWAITED_NOTHING, "a lost signal");
	assert_last(MPSAN_WAIT_BARRIER, AWAITED_NOTHING,
		    "a barrier waits for a party that does not come");
	assert_last(MPSAN_WAIT_PIPE_WRITE, AWAITED_NOTHING, "full pipes");
	assert_last(MPSAN_WAIT_PIPE_READ, AWAITED_NOTHING, "a pipe that nobody will write to");
	assert_last(MPSAN_WAIT_CONNECT, AWAITED_NOTHING, "a connection that nobody will accept");
	assert_last(MPSAN_WAIT_SIGNAL, AWAITED_NOTHING, "a signal that nobody sends");
	assert_last(MPSAN_WAIT_FIFO, AWAITED_NOTHING, "a FIFO that nobody opens");
	assert_last(MPSAN_WAIT_POOL, AWAITED_NOTHING, "an OpenMP team that does not go on");
	assert_last(MPSAN_LOCK_SEMAPHORE, AWAITED_SERVER_END,
		    "a server that is shut down by its own thread");
	assert_last(MPSAN_WAIT_READY, AWAITED_NOTHING, "connections that nobody will use");
	assert_last(MPSAN_WAIT_IPC, AWAITED_NOTHING, "a semaphore that nobody will change");
	blocked[0].ev.flags = MPSAN_LF_HANDOFF;
	assert_title("a message queue that nobody uses");
	assert_last(MPSAN_WAIT_FUTEX, AWAITED_NOTHING, "nobody is left to end the wait");
}

static void tasks_of_a_pool_that_is_joined_are_found_behind_its_threads(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_JOIN, 0)->owner = MAIN_THREAD + 1;
	blocked[0].ev.owner_slot = PARENT + 1;
	blocks(MPSAN_WAIT_READY, 0);
	blocked[1].at.tid = MAIN_THREAD + 1;
	blocked[1].frames.what = AWAITED_ANY_OF;
	blocks(MPSAN_LOCK_SEMAPHORE, MPSAN_LF_SHARED);
	blocked[2].at.by = CHILD;
	blocked[2].frames.what = AWAITED_EVENT;
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	assert_title("connections that nobody will use");
	blocked[2].frames.in_task = true;
	assert_title("tasks of a pool wait for an event that nobody will set");
}

static void whoever_holds_the_other_end_alone_is_named(void **state)
{
	(void)state;
	blocks(MPSAN_WAIT_PIPE_READ, 0)->owner_slot = PARENT + 1;
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	assert_title("a pipe whose end of file does not come");
	blocked[0].ev.kind = MPSAN_WAIT_SOCKET_WRITE;
	assert_title("a full pipe that only its writer could read");
}

static void what_is_polled_for_is_an_error_if_the_sender_is_certain(void **state)
{
	struct ev_blocked *ev = blocks(MPSAN_WAIT_READY, 0);

	(void)state;
	ev->ends = MPSAN_ENDS_POLL;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, deadlock_cycle, GRADE_WARNING);
	ev->flags = MPSAN_LF_CERTAIN;
	assert_deadlock(MPSAN_DEADLOCK_DEAD_END, deadlock_cycle, GRADE_ERROR);
}

/* The main thread waits for a result, or joins; a worker of the pool has the task. */
static void a_task_and_its_waiter(enum awaited what)
{
	begin(NULL);
	two_threads_wait();
	for (uint32_t i = 0; i < 2; i++)
		blocked[i].ev.kind = MPSAN_LOCK_SEMAPHORE;
	blocked[0].frames.what = AWAITED_RESULT;
	blocked[1].frames = (struct awaited_frames){.what = what, .in_task = true};
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
}

static void who_waits_for_a_task_waits_for_what_the_task_awaits(void **state)
{
	(void)state;
	a_task_and_its_waiter(AWAITED_RESULT);
	assert_title("the workers of a pool wait for results");
	blocked[2] = blocked[1];
	blocked[2].frames = (struct awaited_frames){.what = AWAITED_EXECUTOR_WORK};
	deadlock.end = world.facts.blocked_count = 3;
	assert_title("a result that nobody will set"); /* a worker is free */
	a_task_and_its_waiter(AWAITED_PARTIES);
	assert_title("a barrier waits for a party that does not come");
	a_task_and_its_waiter(AWAITED_NOTHING);
	blocked[1].ev.owner = MAIN_THREAD;
	assert_title("a thread waits while it holds a lock that others need");
}

static void the_thread_of_an_event_loop_that_waits_is_the_cause(void **state)
{
	(void)state;
	assert_last(MPSAN_LOCK_SEMAPHORE, AWAITED_RESULT, "a result that nobody will set");
	blocked[0].frames.in_callback = true;
	assert_title("an event loop that waits for a result");
	a_task_and_its_waiter(AWAITED_RESULT); /* the loop joins a task that needs the loop */
	blocked[0].frames.in_callback = true;
	assert_title("an event loop that waits for a result");
	a_task_and_its_waiter(AWAITED_PARTIES); /* which waits for something else */
	blocked[0].frames.in_callback = true;
	assert_title("a barrier waits for a party that does not come");
}

static void a_coroutine_may_wait_for_a_task_that_lacks_a_worker(void **state)
{
	(void)state;
	a_task_and_its_waiter(AWAITED_RESULT);
	blocked[0].ev.kind = MPSAN_WAIT_READY;
	blocked[0].frames.what = AWAITED_LOOP;
	assert_title("an event loop that nothing will wake");
	blocked[1].ev.flags = MPSAN_LF_QUEUED;
	assert_title("the workers of a pool wait for results");
	blocked[1].at.by = CHILD; /* the pool of another process */
	blocked[1].ev.kind = MPSAN_LOCK_MUTEX;
	assert_title("an event loop that nothing will wake");
}

static void a_result_of_a_pool_may_lack_the_thread_that_delivers_it(void **state)
{
	(void)state;
	a_task_and_its_waiter(AWAITED_SIMPLE_ITEM);
	blocked[0].frames.what = AWAITED_POOL_RESULT;
	blocked[0].ev.python = blocked[1].ev.python = 1;
	blocked[1].frames.in_task = false;
	assert_title("a Pool whose thread for results has failed");
	world.process[CHILD].gone = true;
	world.process[CHILD].gone_ns = 11 * SECOND;
	world.slot[CHILD].end = MPSAN_END_SIGNAL;
	world.slot[CHILD].end_value = SIGTERM;
	assert_title("a Pool whose thread for results has failed");
	world.slot[CHILD].end_value = SIGKILL;
	assert_title("a Pool whose thread for results has ended after a worker failed");
	blocked[1].frames.delivers = true;
	assert_title("a result that nobody will set");
	blocked[1].frames.delivers = false;
	blocked[1].ev.python = 0; /* its frames are not known */
	assert_title("a result that nobody will set");
}

static void a_managers_thread_waits_for_its_client(void **state)
{
	(void)state;
	a_task_and_its_waiter(AWAITED_NOTHING);
	blocked[0].frames.what = AWAITED_REPLY;
	blocked[0].ev.kind = MPSAN_WAIT_SOCKET_READ;
	blocked[1].at.by = CHILD;
	blocked[1].ev.kind = MPSAN_LOCK_MUTEX;
	blocked[1].frames = (struct awaited_frames){0};
	assert_title("a pipe that nobody will write to");
	blocked[1].frames.serves = true;
	assert_title("a lock or permit that nobody can release");
}

static void a_circle_is_titled_by_its_waits(void **state)
{
	static const struct {
		uint64_t first, second;
		const char *title;
		bool same; /* lock */
	} circles[] = {
		{MPSAN_LOCK_MUTEX, MPSAN_LOCK_MUTEX, "locks are taken in opposite orders", false},
		{MPSAN_WAIT_JOIN, MPSAN_WAIT_JOIN, "threads wait for each other's end", false},
		{MPSAN_WAIT_JOIN, MPSAN_LOCK_MUTEX, "a thread is joined under a lock that it needs",
		 false},
		{MPSAN_WAIT_GIL, MPSAN_LOCK_MUTEX,
		 "the GIL is held by a thread that waits for a lock", false},
		{MPSAN_LOCK_RWLOCK_READ, MPSAN_LOCK_RWLOCK_WRITE,
		 "a read lock is taken again while a writer waits", true},
		{MPSAN_LOCK_RWLOCK_READ, MPSAN_LOCK_RWLOCK_WRITE,
		 "locks are taken in opposite orders", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(circles) / sizeof(*circles); i++) {
		begin(NULL);
		two_threads_wait();
		blocked[0].ev.kind = circles[i].first;
		blocked[1].ev.kind = circles[i].second;
		if (circles[i].same)
			blocked[1].ev.lock = blocked[0].ev.lock;
		blocked[0].ev.flags = blocked[1].ev.flags = MPSAN_LF_CYCLE;
		deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
		assert_title(circles[i].title);
	}
}

/* The main thread joins a thread that waits for a lock which it has. */
static void a_join_under_a_lock_of_others_has_its_own_cure(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) { /* whom it joins */
		begin(NULL);
		two_threads_wait();
		blocked[0].frames.what = AWAITED_THREAD_END;
		blocked[1].ev.owner_slot = PARENT + 1;
		blocked[1].ev.owner = MAIN_THREAD;
		if (known) {
			blocked[0].ev.kind = MPSAN_WAIT_JOIN;
			blocked[0].ev.flags = blocked[1].ev.flags = MPSAN_LF_CYCLE;
		} else {
			blocked[0].ev.owner = 0;
		}
		deadlock.ev.cause = known ? MPSAN_DEADLOCK_CYCLE : MPSAN_DEADLOCK_DEAD_END;
		blocked[1].frames.what = AWAITED_LOG_LOCK;
		assert_title(known ? "a thread is joined under a lock that it needs" :
				     "a thread waits while it holds a lock that others need");
		blocked[0].frames.logs = true;
		assert_title(known ? "a handler of logging joins a thread that logs" :
				     "a handler of logging waits for a thread that logs");
		blocked[1].frames.what = AWAITED_IMPORT_LOCK;
		assert_title(
			known ? "a thread is joined by who imports the module that it imports, too" :
				"a thread waits while it imports a module that others import, too");
		blocked[1].frames.what = AWAITED_NOTHING;
		blocked[1].ev.flags |= MPSAN_LF_LOADER;
		assert_title(known ? "a thread is joined under the loader's lock, which it needs" :
				     "a thread waits under the loader's lock, which others need");
	}
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(cycle_fires_on_circles_and_dead_ends),
		STORY(cycle_is_silent_about_deadlocks_of_other_causes),
		STORY(a_dead_end_is_titled_by_its_last_wait),
		STORY(what_is_polled_for_is_an_error_if_the_sender_is_certain),
		STORY(tasks_of_a_pool_that_is_joined_are_found_behind_its_threads),
		STORY(whoever_holds_the_other_end_alone_is_named),
		STORY(who_waits_for_a_task_waits_for_what_the_task_awaits),
		STORY(the_thread_of_an_event_loop_that_waits_is_the_cause),
		STORY(a_result_of_a_pool_may_lack_the_thread_that_delivers_it),
		STORY(a_coroutine_may_wait_for_a_task_that_lacks_a_worker),
		STORY(a_join_under_a_lock_of_others_has_its_own_cure),
		STORY(a_managers_thread_waits_for_its_client),
		STORY(a_circle_is_titled_by_its_waits),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
