/*
 * The forking thread holds an errorcheck mutex. In the child it has another thread id, and its unlock is
 * refused: the mutex stays locked there for good.
 */
// expect: fork-own-lock error
// frames: child_unlocks child_run
#include "lib.h"

static pthread_mutex_t lock;

static NOINLINE void child_unlocks(void)
{
	must(pthread_mutex_unlock(&lock) == EPERM);
	puts("refused");
	fflush(stdout);
}

int main(void)
{
	mutex_of(&lock, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED);
	must(pthread_mutex_lock(&lock) == 0);
	must(child_run(child_unlocks) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	return 0;
}
