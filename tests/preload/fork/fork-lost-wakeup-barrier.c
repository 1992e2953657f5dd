/* A barrier for three, of whom two are threads of the parent: the forked child comes alone. */
// expect: fork-lost-wakeup error
// ends: never
// frames: child_arrives
#include "lib.h"

static pthread_barrier_t barrier;

static void *partner_main(void *gate)
{
	gate_wait(gate);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static NOINLINE void child_arrives(void)
{
	pthread_barrier_wait(&barrier);
}

int main(void)
{
	struct gate never;
	pthread_t partner;

	gate_init(&never);
	must(pthread_barrier_init(&barrier, NULL, 3) == 0);
	for (int i = 0; i < 2; i++)
		must(pthread_create(&partner, NULL, partner_main, &never) == 0);
	return child_run(child_arrives);
}
