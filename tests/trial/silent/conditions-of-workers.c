/* A pool that was never used: one mutex, and a condition for each worker; the main thread parks until Ctrl-C. */
// expect: none
// stop: SIGINT 4
#include "threads.h"
#include <semaphore.h>

#define WORKERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker {
	pthread_cond_t work;
	int jobs;
} workers[WORKERS];

static void *serve(void *argument)
{
	struct worker *worker = argument;

	mutex_take(&lock);
	for (;;) {
		while (!worker->jobs)
			pthread_cond_wait(&worker->work, &lock);
		worker->jobs--;
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	sem_t never;

	for (int i = 0; i < WORKERS; i++) {
		pthread_cond_init(&workers[i].work, NULL);
		must(pthread_create(&thread, NULL, serve, &workers[i]) == 0);
	}
	must(sem_init(&never, 0, 0) == 0);
	return sem_wait(&never);
}
