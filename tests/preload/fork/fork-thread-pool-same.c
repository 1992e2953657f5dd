// libgomp's pool is used before a fork and in the child, by the same thread: the child waits for threads that it lacks.
// expect: fork-thread-pool error
// frames: use_pool main
// says: libgomp.so.1
// ends: never
// link: -fopenmp
#include "lib.h"

#include <omp.h>

static int sum;

static NOINLINE void use_pool(int threads)
{
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
}

static void in_child(void)
{
	use_pool(4);
}

int main(void)
{
	use_pool(4);
	return child_run(in_child);
}
