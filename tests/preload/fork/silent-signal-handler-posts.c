/* The child waits for a semaphore that its own signal handler posts; a thread of the parent has nothing to do with it. */
// expect: none
#include "lib.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t go;

static void post(int signal)
{
	(void)signal;
	sem_post(&go);
}

static void *beside_main(void *unused)
{
	return sleep_ms(2 * WAIT_JUDGED_MS), unused;
}

int main(void)
{
	pthread_t beside;
	pid_t child;

	must(pthread_create(&beside, NULL, beside_main, NULL) == 0);
	must(sem_init(&go, 0, 0) == 0);
	must(signal(SIGUSR1, post) != SIG_ERR);
	child = fork();
	if (child == 0) {
		while (sem_wait(&go) != 0)
			must(errno == EINTR);
		_exit(0);
	}
	until_asleep(child, child);
	sleep_ms(WAIT_JUDGED_MS);
	must(kill(child, SIGUSR1) == 0);
	must(child_wait(child) == 0);
	must(pthread_join(beside, NULL) == 0);
	puts("the handler posted");
	return 0;
}
