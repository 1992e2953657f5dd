/*
 * A bounded queue with two counting semaphores. First the consumer waits long for an item, then the producer for
 * a free slot; in between they hand over many.
 */
// expect: none
#include "threads.h"

#include <semaphore.h>

enum { SLOTS = 4, ITEMS = 2000, PAUSE_MS = 1500 };

static sem_t free_slots, full_slots;
static pthread_mutex_t ring_lock = PTHREAD_MUTEX_INITIALIZER;
static int ring[SLOTS], next_in, next_out;

static void *produce_main(void *unused)
{
	sleep_ms(PAUSE_MS);
	for (int i = 0; i < ITEMS; i++) {
		must(sem_wait(&free_slots) == 0);
		mutex_take(&ring_lock);
		ring[next_in++ % SLOTS] = i;
		mutex_give(&ring_lock);
		must(sem_post(&full_slots) == 0);
	}
	return unused;
}

static int consume(void)
{
	int item;

	must(sem_wait(&full_slots) == 0);
	mutex_take(&ring_lock);
	item = ring[next_out++ % SLOTS];
	mutex_give(&ring_lock);
	must(sem_post(&free_slots) == 0);
	return item;
}

int main(void)
{
	pthread_t producer;
	long sum = 0;

	must(sem_init(&free_slots, 0, SLOTS) == 0);
	must(sem_init(&full_slots, 0, 0) == 0);
	producer = thread_start(produce_main);
	for (int i = 0; i < ITEMS; i++) {
		sum += consume();
		if (i == ITEMS / 2)
			sleep_ms(PAUSE_MS);
	}
	thread_join(producer);
	printf("sum %ld\n", sum);
	return 0;
}
