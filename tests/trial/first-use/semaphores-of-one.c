/* Two POSIX semaphores of one permit serve as locks, and are taken for the first time: in opposite orders, beside a sleeper. */
// expect: deadlock-cycle error
// within: 6
// outside: nothing: who took it
// watched: nothing: a thread that sleeps may post them
#include "threads.h"
#include <semaphore.h>

static sem_t device, buffer;
static struct meeting both;

static NOINLINE void *sleep_on(void *unused)
{
	for (;;)
		sleep(1000);
	return unused;
}

static NOINLINE void *fill(void *unused)
{
	sem_wait(&buffer);
	meet(&both);
	sem_wait(&device);
	sem_post(&device);
	sem_post(&buffer);
	return unused;
}

int main(void)
{
	sem_init(&device, 0, 1);
	sem_init(&buffer, 0, 1);
	meeting_init(&both, 2);
	thread_start(sleep_on);
	thread_start(fill);
	sem_wait(&device);
	meet(&both);
	sem_wait(&buffer);
	sem_post(&buffer);
	sem_post(&device);
	return 0;
}
