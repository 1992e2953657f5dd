/* Two permits: a worker keeps one on each early return, until it waits for a third. */
// expect: deadlock-cycle error
// ends: never
// frames: query work
// says: taken by the waiter itself at query
// says: a semaphore that nobody will release
#include "threads.h"

#include <semaphore.h>

static sem_t connections;

static NOINLINE bool query(int number)
{
	sem_wait(&connections);
	if (number % 2)
		return false; /* and keeps it */
	sem_post(&connections);
	return true;
}

static NOINLINE void *work(void *unused)
{
	for (int number = 0; number < 5; number++)
		query(number);
	return unused;
}

int main(void)
{
	sem_init(&connections, 0, 2);
	thread_join(thread_start(work));
	return 0;
}
