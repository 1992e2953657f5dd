/*
 * The child only tries the lock of a vanished thread, and copes.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static NOINLINE void child_wants(void)
{
	must(pthread_mutex_trylock(&lock) == EBUSY);
	puts("busy");
	fflush(stdout);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	keeper_start(&keeper);
	return child_run(child_wants);
}
