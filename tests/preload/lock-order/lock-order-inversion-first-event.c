/*
 * The first thing that is noted of a process is an order, in its main thread: the record of what this thread holds
 * moves into the log at that moment, in the middle of a call. What was just taken counts as taken afterwards.
 */
// options: --rule lock-order-inversion=warning
// expect: lock-order-inversion warning
// frames: main mutex_then_semaphore
#include "order.h"

#include <semaphore.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static sem_t lock;

static NOINLINE void *mutex_then_semaphore(void *unused)
{
	take(&inner);
	must(sem_wait(&lock) == 0 && sem_post(&lock) == 0);
	give(&inner);
	return unused;
}

int main(void)
{
	must(sem_init(&lock, 0, 1) == 0);
	take(&outer);
	must(sem_wait(&lock) == 0);
	give(&outer);
	take(&inner);
	give(&inner);
	must(sem_post(&lock) == 0);
	run_thread(mutex_then_semaphore);
	return 0;
}
