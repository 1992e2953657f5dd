/*
 * A private semaphore serves as a lock: its taker gave it back before. A thread keeps it, the child
 * wants it.
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: keeper_main child_wants child_run
// outside: fork-lost-wakeup error: who took it before the fork by acquire()
#include "lib.h"

#include <semaphore.h>

static sem_t lock;

static void take(void)
{
	must(sem_wait(&lock) == 0);
	must(sem_post(&lock) == 0);
	must(sem_wait(&lock) == 0);
}

static NOINLINE void child_wants(void)
{
	must(sem_wait(&lock) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	must(sem_init(&lock, 0, 1) == 0);
	keeper_start(&keeper);
	return child_run(child_wants);
}
