/* Two permits for connections; a worker that fails on its way keeps one each time, until the third one waits. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"
#include <semaphore.h>

static sem_t connections;

static NOINLINE bool query(int number)
{
	sem_wait(&connections);
	if (number % 2 == 0)
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
