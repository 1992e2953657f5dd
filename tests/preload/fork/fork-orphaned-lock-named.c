/*
 * As fork-orphaned-lock-mutex, and the program gave its lock a name that the report must use.
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: keeper_main child_wants child_run
// says: connection pool
#include "lib.h"

#include "mpsan.h"

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

	mpsan_lock_name(&lock, "connection pool");
	keeper_start(&keeper);
	return child_run(child_wants);
}
