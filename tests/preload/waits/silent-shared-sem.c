/*
 * All threads of the parent wait, in the end for a semaphore in shared memory. The child posts it after two
 * seconds. The parent had taken it itself and given it back before, as one does with a lock.
 */
// expect: none
#include "threads.h"

#include <semaphore.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_own;
static sem_t *shared;

static void take_shared(void)
{
	must(sem_wait(shared) == 0);
}

static void *waiter_main(void *unused)
{
	mutex_take(&own);
	gate_open(&has_own);
	take_shared();
	mutex_give(&own);
	return unused;
}

int main(void)
{
	pthread_t waiter;
	pid_t child;

	gate_init(&has_own);
	shared = shared_memory(sizeof(*shared));
	must(sem_init(shared, 1, 1) == 0);
	take_shared();
	must(sem_post(shared) == 0);
	take_shared();
	child = fork();
	if (child == 0) {
		sleep_ms(2000);
		must(sem_post(shared) == 0);
		_exit(0);
	}
	waiter = thread_start(waiter_main);
	gate_wait(&has_own);
	mutex_take(&own);
	mutex_give(&own);
	thread_join(waiter);
	puts("the child posted");
	return child_wait(child);
}
