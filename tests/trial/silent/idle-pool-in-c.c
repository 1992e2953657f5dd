/* A pool of three threads has done its work and waits for more, as does the main thread in pause(), until Ctrl-C. */
// expect: none
// stop: SIGINT 4
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int jobs;

static void *serve(void *unused)
{
	mutex_take(&lock);
	for (;;) {
		while (!jobs)
			pthread_cond_wait(&work, &lock);
		jobs--;
	}
	return unused;
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		thread_start(serve);
	for (int i = 0; i < 20; i++) {
		mutex_take(&lock);
		jobs++;
		pthread_cond_signal(&work);
		mutex_give(&lock);
	}
	pause();
	return 0;
}
