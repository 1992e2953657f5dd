/* One thread of an OpenMP team enters a critical section twice; the main thread has come to the end of the region. */
// expect: deadlock-cycle error
// within: 6
// says: its OpenMP team
// link: -fopenmp
#include "lib.h"
#include <omp.h>

static int hits;

static NOINLINE void count(void)
{
#pragma omp critical
	hits++;
}

int main(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
#pragma omp critical
		count();
	}
	return hits != 1;
}
