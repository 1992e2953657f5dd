/*
 * Four workers for each processor at a time, of which each needs a processor for a fifth of a second: most of that is its
 * start.
 */
// expect: none
// silent: cpu-oversubscribed
// prints: nothing
#include "threads.h"

#define ROUNDS 3

static void *spins_main(void *unused)
{
	spin_until_had(2);
	return unused;
}

static pid_t makes_worker(void)
{
	pid_t child = fork();

	must(child >= 0);
	if (child == 0) {
		thread_start(spins_main);
		spins_main(NULL);
		_exit(0);
	}
	return child;
}

int main(void)
{
	int processors = (int)sysconf(_SC_NPROCESSORS_ONLN), at_once = 4 * processors;

	for (int i = 0; i < ROUNDS * at_once + at_once; i++) {
		if (i >= at_once)
			must(wait(NULL) > 0);
		if (i < ROUNDS * at_once)
			makes_worker();
	}
	return 0;
}
