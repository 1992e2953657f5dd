// As fork-thread-pool-same, but the child wants a smaller team: the pool's barrier waits for all its threads nevertheless.
// expect: fork-thread-pool error
// frames: use_pool in_child main
// ends: never
// link: -fopenmp
#include "lib.h"

static int sum;

static NOINLINE void use_pool(int threads)
{
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
}

static NOINLINE void in_child(void)
{
	use_pool(2);
}

int main(void)
{
	use_pool(4);
	return child_run(in_child);
}
