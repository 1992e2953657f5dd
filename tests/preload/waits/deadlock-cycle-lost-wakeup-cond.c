/*
 * The producer signals each item and ends without saying that it was the last: the consumer, which the main
 * thread joins, waits for one more.
 */
// expect: deadlock-cycle error
// ends: never
// frames: consume_main
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static NOINLINE void *consume_main(void *unused)
{
	mutex_take(&lock);
	for (;;) {
		while (!items)
			must(pthread_cond_wait(&filled, &lock) == 0);
		items--;
	}
	return unused;
}

static NOINLINE void *produce_main(void *unused)
{
	for (int i = 0; i < 5; i++) {
		mutex_take(&lock);
		items++;
		must(pthread_cond_signal(&filled) == 0);
		mutex_give(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t consumer = thread_start(consume_main), producer = thread_start(produce_main);

	thread_join(producer);
	thread_join(consumer);
	return 0;
}
