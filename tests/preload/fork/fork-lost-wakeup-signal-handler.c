/* The child waits for a semaphore that only its own signal handler could post: a hazard, and no proof. */
// expect: fork-lost-wakeup warning
#include "lib.h"

#include <semaphore.h>
#include <signal.h>

static sem_t go;

static void post(int signal)
{
	(void)signal;
	sem_post(&go);
}

int main(void)
{
	pid_t child;

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
	puts("the handler posted");
	return 0;
}
