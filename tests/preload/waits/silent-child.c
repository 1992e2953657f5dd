/*
 * The main thread keeps a mutex while it waits for a child that sleeps; a thread wants the mutex, and another one
 * joins that thread.
 */
// expect: none
#include "threads.h"

static pthread_mutex_t jobs = PTHREAD_MUTEX_INITIALIZER;
static pthread_t wants;

static void *wants_main(void *unused)
{
	mutex_take(&jobs);
	mutex_give(&jobs);
	return unused;
}

static void *joins_main(void *unused)
{
	thread_join(wants);
	return unused;
}

int main(void)
{
	pid_t child = fork();
	pthread_t joins;

	if (child == 0) {
		sleep_ms(WAIT_LOOKED_AT_MS);
		_exit(7);
	}
	mutex_take(&jobs);
	wants = thread_start(wants_main);
	joins = thread_start(joins_main);
	must(child_wait(child) == 7);
	mutex_give(&jobs);
	thread_join(joins);
	puts("the child ended");
	return 0;
}
