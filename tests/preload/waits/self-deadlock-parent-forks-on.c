/*
 * A child hangs for ever while its parent goes on to make others, one each millisecond: --on-deadlock=kill
 * ends them all, those that came a moment before as well.
 */
// expect: self-deadlock error
// ends: never
// frames: child_hangs
#include <pthread.h>

#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void child_hangs(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
}

int main(void)
{
	if (!fork())
		child_hangs();
	for (int i = 0; i < 2000; i++) {
		if (!fork())
			for (;;)
				pause();
		usleep(1000);
	}
	for (;;)
		pause();
}
