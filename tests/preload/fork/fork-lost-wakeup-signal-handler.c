/* The child waits for a semaphore that a thread of its parent posts; the inherited handler of SIGCHLD, which counts children, does not. */
// expect: fork-lost-wakeup error
#include "lib.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t go;
static volatile sig_atomic_t ended;

static void count(int signal)
{
	(void)signal;
	ended++;
}

static void *post_main(void *unused)
{
	sleep_ms(2 * WAIT_JUDGED_MS);
	must(sem_post(&go) == 0);
	return unused;
}

int main(void)
{
	pthread_t poster;
	pid_t child;

	must(sem_init(&go, 0, 0) == 0);
	must(signal(SIGCHLD, count) != SIG_ERR);
	must(pthread_create(&poster, NULL, post_main, NULL) == 0);
	child = fork();
	if (child == 0) {
		while (sem_wait(&go) != 0)
			must(errno == EINTR);
		_exit(0);
	}
	must(pthread_join(poster, NULL) == 0);
	must(kill(child, SIGKILL) == 0);
	must(child_wait(child) == 128 + SIGKILL);
	return 0;
}
