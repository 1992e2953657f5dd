/* A bounded buffer whose two sides each signal the condition at which they wait themselves. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"

#define ROOM 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int count, consumer;
static struct gate waits;

static void *consume(void *unused)
{
	mutex_take(&lock);
	consumer = gettid();
	gate_open(&waits);
	for (int i = 0; i < 100; i++) {
		while (!count)
			pthread_cond_wait(&not_empty, &lock);
		count--;
		pthread_cond_signal(&not_empty);
	}
	mutex_give(&lock);
	return unused;
}

static void *produce(void *unused)
{
	mutex_take(&lock);
	for (int i = 0; i < 100; i++) {
		while (count == ROOM)
			pthread_cond_wait(&not_full, &lock);
		count++;
		pthread_cond_signal(&not_full);
	}
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread;

	gate_init(&waits);
	thread = thread_start(consume);
	gate_wait(&waits);
	until_asleep(getpid(), consumer);
	thread_join(thread_start(produce));
	thread_join(thread);
	return 0;
}
