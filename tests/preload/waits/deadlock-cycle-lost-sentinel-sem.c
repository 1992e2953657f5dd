/* A consumer was posted some items, and is joined without a last post that would tell it to stop. */
// expect: deadlock-cycle error
// ends: never
// frames: consume_main
#include "threads.h"

#include <semaphore.h>

static sem_t items;

static NOINLINE void *consume_main(void *unused)
{
	for (;;)
		must(sem_wait(&items) == 0);
	return unused;
}

int main(void)
{
	pthread_t consumer;

	must(sem_init(&items, 0, 0) == 0);
	consumer = thread_start(consume_main);
	for (int i = 0; i < 3; i++)
		must(sem_post(&items) == 0);
	thread_join(consumer);
	return 0;
}
