/*
 * As deadlock-cycle-sem, but a third thread sleeps meanwhile: it cancels the two, and the main thread's joins end. A
 * wait that looks hopeless may still be ended by whoever is not waiting.
 */
// expect: none
#include "threads.h"

#include <semaphore.h>

static sem_t ping, pong;
static pthread_t players[2];

static void answer(sem_t *call, sem_t *reply)
{
	while (sem_wait(call) == 0)
		must(sem_post(reply) == 0);
}

static void *ping_main(void *unused)
{
	answer(&ping, &pong);
	return unused;
}

static void *pong_main(void *unused)
{
	answer(&pong, &ping);
	return unused;
}

static void *referee_main(void *unused)
{
	sleep_ms(WAIT_LOOKED_AT_MS);
	for (int i = 0; i < 2; i++)
		must(pthread_cancel(players[i]) == 0);
	return unused;
}

int main(void)
{
	pthread_t referee;

	must(sem_init(&ping, 0, 0) == 0);
	must(sem_init(&pong, 0, 0) == 0);
	players[0] = thread_start(ping_main);
	players[1] = thread_start(pong_main);
	referee = thread_start(referee_main);
	for (int i = 0; i < 2; i++)
		thread_join(players[i]);
	thread_join(referee);
	puts("the game was called off");
	return 0;
}
