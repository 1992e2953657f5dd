/* A barrier for four, but one of the workers returned early with an error. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"

static pthread_barrier_t end_of_step;

static NOINLINE void *work(void *rank)
{
	if (rank == (void *)2)
		return (void *)-1;
	pthread_barrier_wait(&end_of_step);
	return NULL;
}

int main(void)
{
	pthread_t worker[3];

	pthread_barrier_init(&end_of_step, NULL, 4);
	for (intptr_t rank = 0; rank < 3; rank++)
		must(pthread_create(&worker[rank], NULL, work, (void *)(rank + 1)) == 0);
	pthread_barrier_wait(&end_of_step);
	for (int i = 0; i < 3; i++)
		thread_join(worker[i]);
	return 0;
}
