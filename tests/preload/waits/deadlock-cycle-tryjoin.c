/* The main thread has a mutex and asks again and again whether its thread has ended, which wants that mutex. */
// expect: deadlock-cycle error
// options: --on-deadlock=kill-hopeless
// ends: never
// frames: save
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *save(void *unused)
{
	mutex_take(&lock);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread;

	mutex_take(&lock);
	thread = thread_start(save);
	while (pthread_tryjoin_np(thread, NULL))
		usleep(100000);
	mutex_give(&lock);
	return 0;
}
