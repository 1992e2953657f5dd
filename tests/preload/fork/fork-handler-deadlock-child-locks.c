/* A child handler takes a lock that another thread of the parent kept: fork never returns in the child. */
// expect: fork-handler-deadlock error
// ends: never
// frames: child_handler keeper_main
// outside: fork-orphaned-lock error: the handlers of a fork
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static NOINLINE void child_handler(void)
{
	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
}

static void nothing(void)
{
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	must(pthread_atfork(NULL, NULL, child_handler) == 0);
	keeper_start(&keeper);
	return child_run(nothing);
}
