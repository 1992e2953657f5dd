/*
 * A thread leaves through an early return and takes its mutex with it. The main thread, which joined it, wants
 * the mutex.
 */
// expect: lock-owner-killed error
// ends: never
// frames: main
#include "threads.h"

static pthread_mutex_t settings = PTHREAD_MUTEX_INITIALIZER;
static int version;

static NOINLINE void *load_main(void *unused)
{
	mutex_take(&settings);
	if (version++ == 0)
		return unused;
	mutex_give(&settings);
	return unused;
}

int main(void)
{
	thread_join(thread_start(load_main));
	mutex_take(&settings);
	mutex_give(&settings);
	return 0;
}
