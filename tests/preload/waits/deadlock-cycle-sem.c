/*
 * Two threads hand work to each other through semaphores; after the first game each waits for the other's
 * first move. Nobody holds anything, but all threads of the process wait, and none of them is waited for by
 * the outside.
 */
// expect: deadlock-cycle error
// ends: never
// frames: ping_main pong_main
#include "threads.h"

#include <semaphore.h>

static sem_t ping, pong;

static void answer(sem_t *call, sem_t *reply)
{
	for (int i = 0; i < 10; i++) {
		must(sem_wait(call) == 0);
		must(sem_post(reply) == 0);
	}
}

static NOINLINE void *ping_main(void *unused)
{
	must(sem_post(&pong) == 0);
	must(sem_wait(&ping) == 0);
	answer(&ping, &pong);
	return unused;
}

static NOINLINE void *pong_main(void *unused)
{
	must(sem_wait(&pong) == 0);
	must(sem_post(&ping) == 0);
	answer(&pong, &ping);
	return unused;
}

int main(void)
{
	pthread_t first, second;

	must(sem_init(&ping, 0, 0) == 0);
	must(sem_init(&pong, 0, 0) == 0);
	first = thread_start(ping_main);
	second = thread_start(pong_main);
	thread_join(first);
	thread_join(second);
	return 0;
}
