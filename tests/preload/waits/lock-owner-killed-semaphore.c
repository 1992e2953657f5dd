/*
 * A semaphore in shared memory, used as a lock, which a child has when it is killed. The parent has nobody left
 * who could post it.
 */
// expect: lock-owner-killed error
// ends: never
// frames: parent_wants
// says: SIGKILL
// outside: nothing: who took it, and died
#include "lib.h"

#include <semaphore.h>
#include <signal.h>

static sem_t *lock;
static struct gate taken;

static NOINLINE void child_keeps(void)
{
	must(sem_wait(lock) == 0);
	gate_open(&taken);
	pause();
}

static NOINLINE void parent_wants(void)
{
	must(sem_wait(lock) == 0);
}

int main(void)
{
	pid_t child;

	lock = shared_memory(sizeof(*lock));
	must(sem_init(lock, 1, 1) == 0);
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
