/*
 * A signal handler takes the semaphore that the interrupted code holds; a child sends another signal, whose handler posts.
 */
// expect: none
#include "lib.h"

#include <semaphore.h>
#include <signal.h>

static sem_t lock;

static void on_first(int number)
{
	(void)number;
	while (sem_wait(&lock) != 0)
		must(errno == EINTR);
}

static void on_second(int number)
{
	(void)number;
	must(sem_post(&lock) == 0);
}

int main(void)
{
	pid_t child, parent = getpid();

	must(sem_init(&lock, 0, 1) == 0);
	must(signal(SIGUSR1, on_first) != SIG_ERR && signal(SIGUSR2, on_second) != SIG_ERR);
	must(sem_wait(&lock) == 0);
	child = fork();
	if (child == 0) {
		until_asleep(parent, parent);
		sleep_ms(WAIT_JUDGED_MS);
		_exit(kill(parent, SIGUSR2) != 0);
	}
	must(raise(SIGUSR1) == 0);
	puts("posted");
	return child_wait(child);
}
