/* The signal came before the wait, and no flag remembers it. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t loaded = PTHREAD_COND_INITIALIZER;

static NOINLINE void *load(void *unused)
{
	mutex_take(&lock);
	pthread_cond_signal(&loaded);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	thread_join(thread_start(load));
	mutex_take(&lock);
	pthread_cond_wait(&loaded, &lock);
	mutex_give(&lock);
	return 0;
}
