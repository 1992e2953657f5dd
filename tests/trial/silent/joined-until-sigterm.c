/* The main thread joins one that waits until SIGTERM's handler posts. */
// expect: none
// options: --hang-after 1
// stop: SIGTERM 4
#include "threads.h"
#include <semaphore.h>

static sem_t stop;

static void on_term(int number)
{
	(void)number;
	sem_post(&stop);
}

static NOINLINE void *serve(void *unused)
{
	while (sem_wait(&stop))
		;
	return unused;
}

int main(void)
{
	must(sem_init(&stop, 0, 0) == 0);
	must(signal(SIGTERM, on_term) != SIG_ERR);
	thread_join(thread_start(serve));
	return 0;
}
