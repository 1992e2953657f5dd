/*
 * As silent-shared-mutex with a semaphore in shared memory, which the parent itself holds at the fork: the way of
 * a multiprocessing lock.
 */
// expect: none
#include "lib.h"

#include <semaphore.h>

static sem_t *lock;

static void child_works(void)
{
	must(sem_wait(lock) == 0);
	puts("child had the lock");
	fflush(stdout);
	must(sem_post(lock) == 0);
}

int main(void)
{
	pid_t child;

	lock = shared_memory(sizeof(*lock));
	must(sem_init(lock, 1, 1) == 0);
	must(sem_wait(lock) == 0);
	child = fork();
	if (child == 0) {
		child_works();
		_exit(0);
	}
	until_asleep(child, child);
	sleep_ms(WAIT_JUDGED_MS);
	must(sem_post(lock) == 0);
	return child_wait(child);
}
