/* A pool is freed while its worker still waits for work: nobody told it to stop. */
// expect: deadlock-cycle error
// within: 6
// says: still waits for the condition variable that is being destroyed
#include "threads.h"

static struct pool {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	bool is_ready, stops;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};

static NOINLINE void *work(void *unused)
{
	mutex_take(&pool.lock);
	pool.is_ready = true;
	while (!pool.stops)
		must(pthread_cond_wait(&pool.filled, &pool.lock) == 0);
	mutex_give(&pool.lock);
	return unused;
}

static NOINLINE void pool_free(void)
{
	must(pthread_cond_destroy(&pool.filled) == 0);
	must(pthread_mutex_destroy(&pool.lock) == 0);
}

static bool is_ready(void)
{
	bool ready;

	mutex_take(&pool.lock);
	ready = pool.is_ready;
	mutex_give(&pool.lock);
	return ready;
}

int main(void)
{
	thread_start(work);
	while (!is_ready())
		sched_yield();
	pool_free();
	return 0;
}
