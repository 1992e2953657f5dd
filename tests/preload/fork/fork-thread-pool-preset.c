// As fork-thread-pool-same, but the size of both teams is the preset one, which only the runtime knows; a grandchild hangs.
// expect: fork-thread-pool error
// frames: use_pool in_grandchild main
// ends: never
// link: -fopenmp
#include "lib.h"

#include <omp.h>

static int sum;

static NOINLINE void use_pool(void)
{
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
}

static NOINLINE void in_grandchild(void)
{
	use_pool();
}

static NOINLINE void in_child(void)
{
	must(child_run(in_grandchild) == 0);
}

int main(void)
{
	omp_set_num_threads(4);
	use_pool();
	return child_run(in_child);
}
