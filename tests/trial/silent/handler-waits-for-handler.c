/* A handler of SIGTERM waits until the handler of another signal lets it go on, as a user decides. */
// expect: none
// options: --hang-after 1
// stop: SIGUSR1 4
#include "lib.h"
#include <semaphore.h>
#include <signal.h>

static sem_t decided;

static void decide(int number)
{
	(void)number;
	sem_post(&decided);
}

static void on_term(int number)
{
	(void)number;
	while (sem_wait(&decided))
		;
}

int main(void)
{
	must(sem_init(&decided, 0, 0) == 0);
	signal(SIGUSR1, decide);
	signal(SIGTERM, on_term);
	raise(SIGTERM);
	return 0;
}
