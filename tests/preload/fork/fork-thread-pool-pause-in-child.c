// A child that wants to end the pool which it inherited waits for the pool's threads as well.
// expect: fork-thread-pool error
// frames: in_child main
// ends: never
// link: -fopenmp
#include "lib.h"

#include <omp.h>

static int sum;

static NOINLINE void in_child(void)
{
	omp_pause_resource_all(omp_pause_hard);
}

int main(void)
{
#pragma omp parallel for num_threads(4) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	return child_run(in_child);
}
