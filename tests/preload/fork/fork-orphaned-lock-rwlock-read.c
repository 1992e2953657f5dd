/*
 * A thread keeps a read lock; the child wants to write. The lock holds no owner: only the record of
 * who took it can tell.
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: keeper_main child_wants child_run
// outside: fork-lost-wakeup error: who reads
#include "lib.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void take(void)
{
	must(pthread_rwlock_rdlock(&lock) == 0);
}

static NOINLINE void child_wants(void)
{
	must(pthread_rwlock_wrlock(&lock) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	keeper_start(&keeper);
	return child_run(child_wants);
}
