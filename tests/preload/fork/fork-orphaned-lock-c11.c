/*
 * A thread keeps a C11 mutex; mtx_lock does not pass through pthread_mutex_lock.
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: keeper_main child_wants child_run
#include "lib.h"

#include <threads.h>

static mtx_t lock;

static void take(void)
{
	must(mtx_lock(&lock) == thrd_success);
}

static NOINLINE void child_wants(void)
{
	must(mtx_lock(&lock) == thrd_success);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	must(mtx_init(&lock, mtx_plain) == thrd_success);
	keeper_start(&keeper);
	return child_run(child_wants);
}
