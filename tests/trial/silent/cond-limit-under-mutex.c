/* A thread waits on a condition for five seconds, in vain, while it has another mutex; the main thread waits for that one. */
// expect: none
#include "threads.h"

static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static struct gate has_device;

static void *query(void *unused)
{
	struct timespec until;

	mutex_take(&device);
	gate_open(&has_device);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 5;
	mutex_take(&lock);
	must(pthread_cond_timedwait(&answered, &lock, &until) == ETIMEDOUT);
	mutex_give(&lock);
	mutex_give(&device);
	return unused;
}

int main(void)
{
	pthread_t thread;

	gate_init(&has_device);
	thread = thread_start(query);
	gate_wait(&has_device);
	mutex_take(&device);
	mutex_give(&device);
	thread_join(thread);
	return 0;
}
