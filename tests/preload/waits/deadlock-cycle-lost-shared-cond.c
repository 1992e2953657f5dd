/*
 * Consumers in two processes wait at one condition variable in shared memory. Each got an item, and is joined without a
 * last one that would tell it to stop.
 */
// expect: deadlock-cycle error
// ends: never
// frames: consume
#include "threads.h"

#include <sys/mman.h>
#include <sys/wait.h>

static struct shared {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int waiting, items, taken;
} * shared;

static NOINLINE void consume(void)
{
	mutex_take(&shared->lock);
	for (;;) {
		shared->waiting++;
		while (!shared->items)
			must(pthread_cond_wait(&shared->changed, &shared->lock) == 0);
		shared->waiting--;
		shared->items--;
		shared->taken++;
	}
}

static int give(void)
{
	int taken;

	mutex_take(&shared->lock);
	if (shared->waiting == 2 && !shared->items && shared->taken < 2) {
		shared->items++;
		must(pthread_cond_signal(&shared->changed) == 0);
	}
	taken = shared->taken;
	mutex_give(&shared->lock);
	return taken;
}

int main(void)
{
	pthread_mutexattr_t of_lock;
	pthread_condattr_t of_cond;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	pthread_mutexattr_init(&of_lock);
	pthread_mutexattr_setpshared(&of_lock, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &of_lock);
	pthread_condattr_init(&of_cond);
	pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->changed, &of_cond);
	for (int i = 0; i < 2; i++)
		if (!fork())
			consume();
	while (give() < 2)
		usleep(1000);
	while (wait(NULL) > 0)
		;
	return 0;
}
