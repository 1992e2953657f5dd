/*
 * A thread keeps a mutex; the child lives on and never wants it. Nothing is proven, but the child is
 * one call away from a deadlock.
 */
// expect: fork-lock-held warning
// frames: keeper_main child_run
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static NOINLINE void child_wants(void)
{
	live_on();
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	keeper_start(&keeper);
	return child_run(child_wants);
}
