/* Two threads with a queue each, of which nothing is known but that they wait for work; the main thread parks. */
// expect: none
// stop: SIGINT 4
#include "threads.h"
#include <semaphore.h>

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
	sem_t never;

	thread_start(work);
	thread_start(write_log);
	must(sem_init(&never, 0, 0) == 0);
	return sem_wait(&never);
}
