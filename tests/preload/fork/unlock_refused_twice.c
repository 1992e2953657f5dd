/* A child unlocks an error-checking mutex of its parent again and again: used by test_line.py. */
#include "lib.h"

static pthread_mutex_t lock;

static NOINLINE void child_unlocks(void)
{
	for (int i = 0; i < 3; i++)
		must(pthread_mutex_unlock(&lock) == EPERM);
}

int main(void)
{
	mutex_of(&lock, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED);
	must(pthread_mutex_lock(&lock) == 0);
	return child_run(child_unlocks);
}
