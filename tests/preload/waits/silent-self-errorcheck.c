/*
 * A thread locks its own errorcheck mutex again and is told EDEADLK: the program knows.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t lock;

int main(void)
{
	mutex_of(&lock, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED);
	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_mutex_lock(&lock) == EDEADLK);
	must(pthread_mutex_unlock(&lock) == 0);
	puts("told");
	return 0;
}
