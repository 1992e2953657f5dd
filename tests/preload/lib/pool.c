/*
 * A thread pool as libraries keep it between calls: three workers, a mutex and two condition variables. It keeps
 * its mutex in order over a fork, and forgets its workers. A run is over when every worker has been awake and
 * waits again: in a child of a fork amid that, glibc itself would wait for those who are to wake.
 */
#define _GNU_SOURCE 1
#include <pthread.h>

#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int created, running, wanted, finished, woken;

static void take(void)
{
	pthread_mutex_lock(&lock);
}

static void give(void)
{
	pthread_mutex_unlock(&lock);
}

static void *worker_main(void *unused)
{
	pthread_mutex_lock(&lock);
	running++;
	pthread_cond_signal(&done);
	for (;;) {
		while (!wanted) {
			pthread_cond_wait(&work, &lock);
			woken++;
			pthread_cond_signal(&done);
		}
		wanted--;
		finished++;
		pthread_cond_signal(&done);
	}
	return unused;
}

void pool_run(int jobs);
void pool_run(int jobs)
{
	pthread_t thread;

	if (!created)
		pthread_atfork(take, give, give);
	pthread_mutex_lock(&lock);
	while (created < THREADS)
		created += !pthread_create(&thread, NULL, worker_main, NULL);
	while (running < THREADS)
		pthread_cond_wait(&done, &lock);
	finished = woken = 0;
	wanted = jobs;
	pthread_cond_broadcast(&work);
	while (finished < jobs || woken < THREADS)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
}
