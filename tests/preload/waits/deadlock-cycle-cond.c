/*
 * The main thread waits on a condition variable and keeps a second mutex meanwhile. The only thread that could
 * signal wants that second mutex first.
 */
// expect: deadlock-cycle error
// ends: never
// frames: fill_main take_item
#include "threads.h"

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static NOINLINE void *fill_main(void *unused)
{
	mutex_take(&registry);
	mutex_take(&queue);
	items++;
	must(pthread_cond_signal(&filled) == 0);
	mutex_give(&queue);
	mutex_give(&registry);
	return unused;
}

static NOINLINE void take_item(void)
{
	mutex_take(&queue);
	while (items == 0)
		must(pthread_cond_wait(&filled, &queue) == 0);
	items--;
	mutex_give(&queue);
}

int main(void)
{
	mutex_take(&registry);
	thread_start(fill_main);
	take_item();
	mutex_give(&registry);
	return 0;
}
