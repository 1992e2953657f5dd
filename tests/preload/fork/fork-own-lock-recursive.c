/*
 * The forking thread holds a recursive mutex. In the child it has another thread id, so its next lock of
 * the same mutex waits for the id it had.
 */
// expect: fork-own-lock error
// ends: never
// frames: child_relocks child_run
#include "lib.h"

static pthread_mutex_t lock;

static NOINLINE void child_relocks(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

int main(void)
{
	mutex_of(&lock, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED);
	must(pthread_mutex_lock(&lock) == 0);
	return child_run(child_relocks);
}
