/* A barrier of OpenMP stands in a branch that one thread of the team takes. */
// expect: deadlock-cycle error
// within: 6
// says: its OpenMP team
// link: -fopenmp
#include "lib.h"
#include <omp.h>

static NOINLINE void phase(int thread)
{
	if (thread == 0) {
#pragma omp barrier
		must(omp_in_parallel());
	}
}

int main(void)
{
	int done = 0;

#pragma omp parallel num_threads(2)
	{
		phase(omp_get_thread_num());
#pragma omp barrier
#pragma omp atomic
		done++;
	}
	return done != 2;
}
