/*
 * The beginner's semaphore: not process-shared, in memory that fork copies. The parent posts its own copy, the
 * child waits for its copy.
 */
// expect: fork-lost-wakeup error
// ends: never
// frames: child_waits
// says: has another copy of that memory
#include "lib.h"

#include <semaphore.h>

static sem_t go;

static NOINLINE void child_waits(void)
{
	must(sem_wait(&go) == 0);
}

int main(void)
{
	pid_t child;

	must(sem_init(&go, 0, 0) == 0);
	child = fork();
	if (child == 0) {
		child_waits();
		_exit(0);
	}
	must(sem_post(&go) == 0);
	return child_wait(child);
}
