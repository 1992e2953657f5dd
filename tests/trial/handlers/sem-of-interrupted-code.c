/* A handler of SIGTERM waits until the output is flushed, which the code does that it interrupted. */
// expect: deadlock-cycle error
// or: hang warning
// options: --hang-after 2
// says: a signal handler runs on top of the code that it interrupted
// within: 10
#include "lib.h"
#include <semaphore.h>
#include <signal.h>

static sem_t flushed;

static void on_term(int number)
{
	(void)number;
	while (sem_wait(&flushed))
		;
	_exit(0);
}

int main(void)
{
	must(sem_init(&flushed, 0, 0) == 0);
	signal(SIGTERM, on_term);
	kill(getpid(), SIGTERM);
	fflush(stdout);
	sem_post(&flushed);
	return 0;
}
