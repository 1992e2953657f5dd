/*
 * A mutex in shared memory, which a child has when its assertion fails. The parent waits for it.
 */
// expect: lock-owner-killed error
// ends: never
// frames: parent_wants child_checks
// says: aborted: Assertion `*sum == 3' failed at child_checks (lock-owner-killed-assertion.c:
// outside: lock-owner-killed error: why its owner died
#include "lib.h"

#include <assert.h>

static pthread_mutex_t *mutex;

static NOINLINE void child_checks(const volatile int *sum)
{
	must(pthread_mutex_lock(mutex) == 0);
	assert(*sum == 3);
	must(pthread_mutex_unlock(mutex) == 0);
}

static NOINLINE void parent_wants(void)
{
	must(pthread_mutex_lock(mutex) == 0);
}

int main(void)
{
	volatile int sum = 4;
	pid_t child;

	mutex = mutex_of(shared_memory(sizeof(*mutex)), PTHREAD_MUTEX_NORMAL,
			 PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_STALLED);
	child = fork();
	if (child == 0) {
		child_checks(&sum);
		_exit(0);
	}
	child_wait(child);
	parent_wants();
	return 0;
}
