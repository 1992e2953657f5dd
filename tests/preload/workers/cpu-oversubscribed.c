/*
 * Three workers that each spin in two threads more than there are processors.
 */
// expect: cpu-oversubscribed warning
// frames: makes_worker
// says: processes were runnable
// prints: nothing
#include "threads.h"

static int processors;

/* Until its process has had 1.1 seconds of each processor. */
static void *spins_main(void *unused)
{
	spin_until_had(11 * processors);
	return unused;
}

static NOINLINE pid_t makes_worker(int threads)
{
	pid_t child = fork();

	must(child >= 0);
	if (child == 0) {
		for (int i = 1; i < threads; i++)
			thread_start(spins_main);
		spins_main(NULL);
		_exit(0);
	}
	return child;
}

int main(void)
{
	pid_t child[3];

	processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < 3; i++)
		child[i] = makes_worker(processors + 2);
	for (int i = 0; i < 3; i++)
		must(child_wait(child[i]) == 0);
	return 0;
}
