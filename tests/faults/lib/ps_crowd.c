/* A worker table of threads for `mpsan ps`: a third wants one mutex, a third waits for a semaphore each, a third naps. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wants_gate(void *unused)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return unused;
}

static void *wants_post(void *semaphore)
{
	sem_wait(semaphore);
	return semaphore;
}

static void *naps(void *unused)
{
	for (;;)
		sleep(100);
	return unused;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t thread;

	pthread_mutex_lock(&gate);
	for (int i = 0; i < count; i++) {
		sem_t *semaphore = calloc(1, sizeof(*semaphore));

		sem_init(semaphore, 0, 0);
		pthread_create(&thread, NULL,
			       i % 3 == 0 ? wants_gate :
			       i % 3 == 1 ? wants_post :
					    naps,
			       semaphore);
	}
	pause();
	return 0;
}
