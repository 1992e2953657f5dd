/*
 * A mutex in shared memory, which a child has when it is killed. The parent waits for it: a mutex that is not
 * robust is lost with its owner.
 */
// expect: lock-owner-killed error
// ends: never
// frames: parent_wants
// says: had sent it SIGKILL at main (lock-owner-killed-mutex.c:
#include "lib.h"

#include <signal.h>

static pthread_mutex_t *mutex;
static struct gate taken;

static NOINLINE void child_keeps(void)
{
	must(pthread_mutex_lock(mutex) == 0);
	gate_open(&taken);
	pause();
}

static NOINLINE void parent_wants(void)
{
	must(pthread_mutex_lock(mutex) == 0);
}

int main(void)
{
	pid_t child;

	mutex = mutex_of(shared_memory(sizeof(*mutex)), PTHREAD_MUTEX_NORMAL,
			 PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_STALLED);
	gate_init(&taken);
	child = fork();
	if (child == 0) {
		child_keeps();
		_exit(0);
	}
	gate_wait(&taken);
	must(kill(child, SIGKILL) == 0);
	child_wait(child);
	parent_wants();
	return 0;
}
