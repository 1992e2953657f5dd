/* sem_timedwait with a limit of a minute, for a permit that a thread gives after five seconds of naps. */
// expect: none
#include "threads.h"
#include <semaphore.h>

static sem_t arrived;

static void *arrive(void *unused)
{
	for (int i = 0; i < 25; i++)
		usleep(200000);
	sem_post(&arrived);
	return unused;
}

int main(void)
{
	struct timespec until;
	pthread_t thread;

	sem_init(&arrived, 0, 0);
	thread = thread_start(arrive);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	must(sem_timedwait(&arrived, &until) == 0);
	thread_join(thread);
	return 0;
}
