/* main() has returned, and what atexit() registered joins a thread that only main() would have told to stop. */
// expect: deadlock-cycle error
// within: 6
// says: a handler or destructor that exit\(\) runs
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool stopping;
static pthread_t worker;

static void *work(void *unused)
{
	mutex_take(&lock);
	while (!stopping)
		pthread_cond_wait(&changed, &lock);
	mutex_give(&lock);
	return unused;
}

static void join_worker(void)
{
	thread_join(worker);
}

int main(void)
{
	worker = thread_start(work);
	atexit(join_worker);
	return 0;
}
