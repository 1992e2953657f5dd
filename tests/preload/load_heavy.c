/*
 * Three workers that each spin in two threads more than there are processors.
 */
// expect: cpu-oversubscribed warning
// frames: makes_worker
// says: threads in 3 processes wanted to run
#include "threads.h"

#include <sched.h>

static void *spins_main(void *unused)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec - begin.tv_sec < 5);
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
	int threads = (int)sysconf(_SC_NPROCESSORS_ONLN) + 2;
	pid_t child[3];

	for (int i = 0; i < 3; i++)
		child[i] = makes_worker(threads);
	for (int i = 0; i < 3; i++)
		must(child_wait(child[i]) == 0);
	return 0;
}
