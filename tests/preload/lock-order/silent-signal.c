/*
 * A semaphore that others post is a signal, one that counts things lets several in: neither makes an order of locks.
 */
// options: --rule lock-order-inversion=warning
// expect: none
#include "order.h"

#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t signal_of_work, things;

static NOINLINE void *lock_outside(void *unused)
{
	take(&lock);
	must(sem_wait(&signal_of_work) == 0);
	must(sem_wait(&things) == 0 && sem_post(&things) == 0);
	give(&lock);
	return unused;
}

static NOINLINE void *lock_inside(void *unused)
{
	must(sem_wait(&signal_of_work) == 0 && sem_wait(&things) == 0);
	take(&lock);
	give(&lock);
	must(sem_post(&things) == 0);
	return unused;
}

int main(void)
{
	must(sem_init(&signal_of_work, 0, 0) == 0 && sem_init(&things, 0, 3) == 0);
	must(sem_post(&signal_of_work) == 0);
	run_thread(lock_outside);
	must(sem_post(&signal_of_work) == 0);
	run_thread(lock_inside);
	return 0;
}
