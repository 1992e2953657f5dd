/*
 * A thread waits on a condition variable at the fork. Its mutex is free meanwhile, although the thread took it
 * and no mutex function gave it back; the child takes it and lives on.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct gate ready;
static bool stop;

static void *waiter_main(void *unused)
{
	(void)unused;
	must(pthread_mutex_lock(&lock) == 0);
	gate_open(&ready);
	while (!stop)
		must(pthread_cond_wait(&changed, &lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	return NULL;
}

static void child_works(void)
{
	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	live_on();
	puts("child had the lock");
	fflush(stdout);
}

/* Having had the mutex after `ready`, we know that the waiter sleeps. */
static void until_waiter_sleeps(void)
{
	gate_wait(&ready);
	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
}

int main(void)
{
	pthread_t waiter;
	int status;

	gate_init(&ready);
	must(pthread_create(&waiter, NULL, waiter_main, NULL) == 0);
	until_waiter_sleeps();
	status = child_run(child_works);
	must(pthread_mutex_lock(&lock) == 0);
	stop = true;
	must(pthread_cond_signal(&changed) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	must(pthread_join(waiter, NULL) == 0);
	return status;
}
