/*
 * A recursive mutex is locked again by its owner, in a parent and, free at the fork, in a child.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t lock;

static void lock_twice(void)
{
	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
}

int main(void)
{
	mutex_of(&lock, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED);
	lock_twice();
	return child_run(lock_twice);
}
