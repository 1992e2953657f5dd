// As fork-thread-pool-same, in a child with another thread, which ticks, and with handlers of signals: neither is of the pool.
// expect: fork-thread-pool error
// frames: use_pool main
// ends: never
// link: -fopenmp
#include "lib.h"

#include <omp.h>
#include <signal.h>

static int sum;

static NOINLINE void use_pool(int threads)
{
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
}

static void *tick(void *unused)
{
	for (;;)
		usleep(100000);
	return unused;
}

static void end(int number)
{
	_exit(number);
}

static void in_child(void)
{
	pthread_t thread;

	signal(SIGTERM, end);
	must(pthread_create(&thread, NULL, tick, NULL) == 0);
	use_pool(4);
}

int main(void)
{
	use_pool(4);
	return child_run(in_child);
}
