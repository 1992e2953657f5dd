/* The main thread joins a thread that waits for the signal which the main thread meant to send afterwards. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t loaded = PTHREAD_COND_INITIALIZER;
static bool is_loaded;

static NOINLINE void *use(void *unused)
{
	mutex_take(&lock);
	while (!is_loaded)
		pthread_cond_wait(&loaded, &lock);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	thread_join(thread_start(use));
	mutex_take(&lock);
	is_loaded = true;
	pthread_cond_signal(&loaded);
	mutex_give(&lock);
	return 0;
}
