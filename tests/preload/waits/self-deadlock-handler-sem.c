/*
 * A signal handler takes the semaphore that the interrupted code holds. It is the only handler, and its signal is blocked
 * while it runs: no handler will post.
 */
// expect: self-deadlock error
// ends: never
// frames: on_signal update
// outside: deadlock-cycle error: who took it
#include "lib.h"

#include <semaphore.h>
#include <signal.h>

static sem_t lock;

static NOINLINE void on_signal(int number)
{
	(void)number;
	must(sem_wait(&lock) == 0);
}

static NOINLINE void update(void)
{
	must(sem_wait(&lock) == 0);
	must(raise(SIGUSR1) == 0);
}

int main(void)
{
	must(sem_init(&lock, 0, 1) == 0);
	must(signal(SIGUSR1, on_signal) != SIG_ERR);
	update();
	return 0;
}
