// As fork-thread-pool-same, but the child wants a larger team, and a loop with a schedule of its own.
// expect: fork-thread-pool error
// frames: use_pool in_child main
// ends: never
// link: -fopenmp
#include "lib.h"

static int sum;

static NOINLINE void use_pool(int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
}

static NOINLINE void in_child(void)
{
	use_pool(6);
}

int main(void)
{
	use_pool(4);
	return child_run(in_child);
}
