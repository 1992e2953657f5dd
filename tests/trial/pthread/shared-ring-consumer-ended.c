/* A ring of two places between processes: the consumer has ended, and the producer waits for a place, which it does not hold. */
// expect: deadlock-cycle error
// says: release a permit of the semaphore
// within: 8
#include "lib.h"
#include <semaphore.h>
#include <sys/mman.h>

struct ring {
	sem_t places, items;
};

static void consume(struct ring *ring)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&ring->items);
		sem_post(&ring->places);
	}
	_exit(0);
}

int main(void)
{
	struct ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t consumer;

	must(ring != MAP_FAILED && sem_init(&ring->places, 1, 2) == 0 &&
	     sem_init(&ring->items, 1, 0) == 0);
	consumer = fork();
	must(consumer >= 0);
	if (consumer == 0)
		consume(ring);
	for (int i = 0; i < 10; i++) {
		sem_wait(&ring->places);
		sem_post(&ring->items);
	}
	return waitpid(consumer, NULL, 0) < 0;
}
