/* The main thread tries a mutex every 100 ms; its owner waits for a word, which it gets after twelve seconds. */
// expect: none
#include "threads.h"
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both;
static sem_t word;

static NOINLINE void *work(void *unused)
{
	mutex_take(&lock);
	meet(&both);
	sem_wait(&word);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread;
	int tries = 0;

	sem_init(&word, 0, 0);
	meeting_init(&both, 2);
	pthread_create(&thread, NULL, work, NULL);
	meet(&both);
	while (pthread_mutex_trylock(&lock)) {
		usleep(100000);
		if (++tries == 120)
			sem_post(&word);
	}
	mutex_give(&lock);
	while (pthread_tryjoin_np(thread, NULL))
		usleep(100000);
	return 0;
}
