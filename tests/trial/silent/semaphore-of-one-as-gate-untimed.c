/* As semaphore-of-one-as-gate, without limits. */
// expect: none
#include "threads.h"
#include <semaphore.h>

static sem_t items;

static void *deliver(void *unused)
{
	sleep(5);
	sem_post(&items);
	return unused;
}

int main(void)
{
	pthread_t thread;

	sem_init(&items, 0, 1);
	thread = thread_start(deliver);
	sem_wait(&items);
	sem_wait(&items);
	thread_join(thread);
	return 0;
}
