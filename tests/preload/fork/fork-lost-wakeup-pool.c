/*
 * A pool of three threads with a queue under a mutex and two condition variables, as in fork-thread-pool-library.c: used in
 * the parent, then in a forked child, which hands it work and waits for the result. Its handlers keep the
 * mutex in order. A run is over when every worker has been awake and waits again: in a child of a fork amid
 * that, glibc itself would wait for those who are to wake.
 */
// expect: fork-lost-wakeup error
// ends: never
// frames: pool_run child_submits
// says: all 3 threads that were started from
#include "lib.h"

#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int running, wanted, finished, woken;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(&lock) == 0);
}

static void *worker_main(void *unused)
{
	(void)unused;
	must(pthread_mutex_lock(&lock) == 0);
	running++;
	must(pthread_cond_signal(&done) == 0);
	for (;;) {
		while (!wanted) {
			must(pthread_cond_wait(&work, &lock) == 0);
			woken++;
			must(pthread_cond_signal(&done) == 0);
		}
		wanted--;
		finished++;
		must(pthread_cond_signal(&done) == 0);
	}
	return NULL;
}

static NOINLINE void pool_run(int jobs)
{
	must(pthread_mutex_lock(&lock) == 0);
	while (running < THREADS)
		must(pthread_cond_wait(&done, &lock) == 0);
	finished = woken = 0;
	wanted = jobs;
	must(pthread_cond_broadcast(&work) == 0);
	while (finished < jobs || woken < THREADS)
		must(pthread_cond_wait(&done, &lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
}

static NOINLINE void child_submits(void)
{
	pool_run(3);
}

int main(void)
{
	pthread_t thread;

	must(pthread_atfork(take, give, give) == 0);
	for (int i = 0; i < THREADS; i++)
		must(pthread_create(&thread, NULL, worker_main, NULL) == 0);
	pool_run(10);
	return child_run(child_submits);
}
