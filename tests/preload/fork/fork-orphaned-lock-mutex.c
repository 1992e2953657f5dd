/*
 * A thread keeps a normal mutex; the forked child waits for it for ever.
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: keeper_main child_wants child_run
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

	keeper_start(&keeper);
	return child_run(child_wants);
}
