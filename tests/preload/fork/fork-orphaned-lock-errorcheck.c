/*
 * As fork-orphaned-lock-mutex with an errorcheck mutex: its check sees no deadlock, because the owner is not the
 * caller.
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: keeper_main child_wants child_run
#include "lib.h"

static pthread_mutex_t lock;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static NOINLINE void child_wants(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	mutex_of(&lock, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_STALLED);
	keeper_start(&keeper);
	return child_run(child_wants);
}
