/*
 * A dead end that is told at once where no signal is to come: the main thread waits on a condition
 * variable and keeps a mutex, which the only thread that could signal wants first.
 */
#include "threads.h"

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static NOINLINE void *fill_main(void *unused)
{
	mutex_take(&registry);
	must(pthread_cond_signal(&filled) == 0);
	return unused;
}

static NOINLINE void dead_end(void)
{
	mutex_take(&registry);
	thread_start(fill_main);
	mutex_take(&queue);
	must(pthread_cond_wait(&filled, &queue) == 0);
	_exit(4);
}
