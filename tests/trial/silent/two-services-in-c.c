/* Two threads with a queue each, of which nothing is known but that they wait for work; the main thread joins both. */
// expect: none
// stop: SIGINT 4
#include "threads.h"

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int items;
};

static struct queue orders = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
		    messages = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void *work(void *unused)
{
	mutex_take(&orders.lock);
	while (!orders.items)
		pthread_cond_wait(&orders.filled, &orders.lock);
	mutex_give(&orders.lock);
	return unused;
}

static void *write_log(void *unused)
{
	mutex_take(&messages.lock);
	while (!messages.items)
		pthread_cond_wait(&messages.filled, &messages.lock);
	mutex_give(&messages.lock);
	return unused;
}

int main(void)
{
	pthread_t worker = thread_start(work), logger = thread_start(write_log);

	thread_join(worker);
	thread_join(logger);
	return 0;
}
