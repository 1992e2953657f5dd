/*
 * Workers fail while the parent could know: it waits for any child, it waits for the one that fails, a handler of
 * its own is called, or another thread looks from time to time.
 */
// expect: none
// silent: worker-failed
#include "threads.h"

#include <signal.h>

static volatile sig_atomic_t called;

static void on_child(int number)
{
	called = number;
}

static pid_t worker(long ms, int status)
{
	pid_t child = fork();

	must(child >= 0);
	if (child == 0) {
		sleep_ms(ms);
		_exit(status);
	}
	return child;
}

static void waits_for_any(void)
{
	worker(1900, 0);
	worker(0, 7);
	must(wait(NULL) > 0);
	must(wait(NULL) > 0);
}

static void waits_for_it(void)
{
	pid_t good = worker(1900, 0), bad = worker(0, 7);

	must(child_wait(bad) == 7);
	must(child_wait(good) == 0);
}

static void has_handler(void)
{
	pid_t good = worker(1900, 0), bad = worker(200, 7);

	must(signal(SIGCHLD, on_child) != SIG_ERR);
	must(child_wait(good) == 0);
	must(child_wait(bad) == 7);
	must(called);
}

static void *looks_main(void *argument)
{
	while (!*(volatile int *)argument)
		sleep_ms(50);
	return NULL;
}

static void has_watcher(void)
{
	static int done;
	pid_t good = worker(1900, 0), bad = worker(0, 7);
	pthread_t looks;

	must(pthread_create(&looks, NULL, looks_main, &done) == 0);
	must(child_wait(good) == 0);
	done = 1;
	must(pthread_join(looks, NULL) == 0);
	must(child_wait(bad) == 7);
}

int main(void)
{
	void (*const ways[])(void) = {waits_for_any, waits_for_it, has_handler, has_watcher};
	pid_t child[4];

	for (int i = 0; i < 4; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			ways[i]();
			_exit(0);
		}
	}
	for (int i = 0; i < 4; i++)
		must(child_wait(child[i]) == 0);
	return 0;
}
