/* A semaphore that begins at one and is taken twice: a thread that naps gives the second permit, so it is no lock. */
// expect: none
#include "threads.h"
#include <semaphore.h>

static sem_t items;

static void *deliver(void *unused)
{
	for (int i = 0; i < 25; i++)
		usleep(200000);
	sem_post(&items);
	return unused;
}

int main(void)
{
	struct timespec until;
	pthread_t thread;

	sem_init(&items, 0, 1);
	thread = thread_start(deliver);
	sem_wait(&items);
	do {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 2;
	} while (sem_timedwait(&items, &until));
	thread_join(thread);
	return 0;
}
