/*
 * A robust mutex in shared memory whose owner, a process, died: the next owner is told EOWNERDEAD and
 * repairs it. Nobody waits for ever.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t *lock;

static void child_takes_and_dies(void)
{
	must(pthread_mutex_lock(lock) == 0);
}

int main(void)
{
	lock = mutex_of(shared_memory(sizeof(*lock)), PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED,
			PTHREAD_MUTEX_ROBUST);
	must(child_run(child_takes_and_dies) == 0);
	must(pthread_mutex_lock(lock) == EOWNERDEAD);
	must(pthread_mutex_consistent(lock) == 0);
	must(pthread_mutex_unlock(lock) == 0);
	puts("repaired");
	return 0;
}
