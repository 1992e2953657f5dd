/*
 * A thread keeps a mutex; the child ends at once. Worth a note at most.
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
	puts("child was here");
	fflush(stdout);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	keeper_start(&keeper);
	return child_run(child_wants);
}
