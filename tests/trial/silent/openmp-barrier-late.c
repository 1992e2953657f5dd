/* One thread of an OpenMP team works for three seconds before it comes to the barrier, and then in a critical section. */
// expect: none
// link: -fopenmp
#include "lib.h"
#include <omp.h>

static void work(void)
{
	double until = omp_get_wtime() + 3;

	while (omp_get_wtime() < until)
		;
}

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			work();
#pragma omp barrier
#pragma omp critical
		if (omp_get_thread_num() == 1)
			work();
	}
	return 0;
}
