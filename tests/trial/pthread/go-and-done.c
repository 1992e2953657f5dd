/* The main thread waits until the worker is done, before it tells it to go: two conditions of one mutex. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static bool may_go, is_done;

static void *work(void *unused)
{
	mutex_take(&lock);
	while (!may_go)
		pthread_cond_wait(&go, &lock);
	is_done = true;
	pthread_cond_signal(&done);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread = thread_start(work);

	mutex_take(&lock);
	while (!is_done)
		pthread_cond_wait(&done, &lock);
	may_go = true;
	pthread_cond_signal(&go);
	mutex_give(&lock);
	thread_join(thread);
	return 0;
}
