/* A daemon's signal thread: it waits for SIGTERM and then tells the workers, who wait on a condition, to end. */
// expect: none
// stop: SIGTERM 4
#include "threads.h"
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_or_stop = PTHREAD_COND_INITIALIZER;
static bool stopping;

static void *work(void *unused)
{
	mutex_take(&lock);
	while (!stopping)
		pthread_cond_wait(&work_or_stop, &lock);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	pthread_t worker[3];
	sigset_t end;
	int number;

	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &end, NULL);
	for (int i = 0; i < 3; i++)
		worker[i] = thread_start(work);
	sigwait(&end, &number);
	mutex_take(&lock);
	stopping = true;
	pthread_cond_broadcast(&work_or_stop);
	mutex_give(&lock);
	for (int i = 0; i < 3; i++)
		thread_join(worker[i]);
	return 0;
}
