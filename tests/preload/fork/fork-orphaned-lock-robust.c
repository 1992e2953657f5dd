/* As fork-orphaned-lock-mutex, with a private robust mutex: the owner lives, but in the parent, and the kernel passes nothing on. */
// expect: fork-orphaned-lock error
// ends: never
// frames: child_wants child_run
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

	mutex_of(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_ROBUST);
	keeper_start(&keeper);
	return child_run(child_wants);
}
