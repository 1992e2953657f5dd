/* A critical section of OpenMP calls a function that enters it again. */
// expect: deadlock-cycle error
// within: 6
// says: its OpenMP team
// link: -fopenmp
#include "lib.h"
#include <omp.h>

static int total, hits;

static NOINLINE void count(void)
{
#pragma omp critical
	hits++;
}

static NOINLINE void add(int value)
{
#pragma omp critical
	{
		total += value;
		count();
	}
}

int main(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < 10; i++)
		add(i);
	return hits != 10;
}
