/*
 * A barrier for three. Two have come to it, and the third wants a mutex that one of the two keeps.
 */
// expect: deadlock-cycle error
// ends: never
// frames: keeps_main late_main
#include "threads.h"

static pthread_mutex_t totals = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t step;
static struct gate kept;

static void arrive(void)
{
	int result = pthread_barrier_wait(&step);

	must(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
}

static NOINLINE void *keeps_main(void *unused)
{
	mutex_take(&totals);
	gate_open(&kept);
	arrive();
	mutex_give(&totals);
	return unused;
}

static NOINLINE void *early_main(void *unused)
{
	arrive();
	return unused;
}

static NOINLINE void *late_main(void *unused)
{
	gate_wait(&kept);
	mutex_take(&totals);
	mutex_give(&totals);
	arrive();
	return unused;
}

int main(void)
{
	pthread_t late;

	gate_init(&kept);
	must(pthread_barrier_init(&step, NULL, 3) == 0);
	thread_start(keeps_main);
	thread_start(early_main);
	late = thread_start(late_main);
	thread_join(late);
	return 0;
}
