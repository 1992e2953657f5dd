/*
 * The main thread keeps the mutex of a pool while it joins a worker that needs that mutex once more before it
 * ends.
 */
// expect: deadlock-cycle error
// ends: never
// frames: worker_main stop_pool
#include "threads.h"

static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;
static struct gate stopping;
static int workers;

static NOINLINE void *worker_main(void *unused)
{
	mutex_take(&pool);
	workers++;
	mutex_give(&pool);
	gate_wait(&stopping);
	mutex_take(&pool);
	workers--;
	mutex_give(&pool);
	return unused;
}

static NOINLINE void stop_pool(pthread_t worker)
{
	mutex_take(&pool);
	gate_open(&stopping);
	thread_join(worker);
	mutex_give(&pool);
}

int main(void)
{
	gate_init(&stopping);
	stop_pool(thread_start(worker_main));
	return 0;
}
