/* A ring with two semaphores: the producer has ended without a last item, for which the consumer waits. */
// expect: deadlock-cycle error
// says: release a permit of the semaphore
// within: 8
#include "lib.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t items, room;

static void *produce(void *unused)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&room);
		usleep(50000);
		sem_post(&items);
	}
	return unused;
}

int main(void)
{
	pthread_t producer;

	sem_init(&items, 0, 0);
	sem_init(&room, 0, 2);
	pthread_create(&producer, NULL, produce, NULL);
	for (int i = 0; i < 4; i++) {
		sem_wait(&items);
		sem_post(&room);
	}
	return pthread_join(producer, NULL);
}
