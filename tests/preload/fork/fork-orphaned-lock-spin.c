/*
 * A thread keeps a spinlock; the child burns its processor for ever.
 */
// expect: fork-orphaned-lock error
// ends: never
// frames: keeper_main child_wants child_run
// outside: nothing: a spinlock has no owner, and the child runs
#include "lib.h"

static pthread_spinlock_t lock;

static void take(void)
{
	must(pthread_spin_lock(&lock) == 0);
}

static NOINLINE void child_wants(void)
{
	must(pthread_spin_lock(&lock) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	must(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
	keeper_start(&keeper);
	return child_run(child_wants);
}
