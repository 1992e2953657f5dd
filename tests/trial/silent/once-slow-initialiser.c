/* An initialiser of pthread_once takes its time, in the end waiting for a thread that naps; others wait for it. */
// expect: none
// options: --hang-after 10
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t made = PTHREAD_ONCE_INIT;
static bool loaded;

static void *load(void *unused)
{
	sleep(4);
	mutex_take(&lock);
	loaded = true;
	pthread_cond_signal(&changed);
	mutex_give(&lock);
	return unused;
}

static void make(void)
{
	pthread_t loader = thread_start(load);

	mutex_take(&lock);
	while (!loaded)
		pthread_cond_wait(&changed, &lock);
	mutex_give(&lock);
	thread_join(loader);
}

static void *use(void *unused)
{
	pthread_once(&made, make);
	return unused;
}

int main(void)
{
	pthread_t users[3];

	for (int i = 0; i < 3; i++)
		users[i] = thread_start(use);
	for (int i = 0; i < 3; i++)
		thread_join(users[i]);
	return 0;
}
