/*
 * A prepare handler takes a lock that only the child handler gives back. The parent forks well, and hangs when it
 * wants the lock itself.
 */
// expect: fork-handler-deadlock error
// ends: never
// frames: parent_wants
// outside: self-deadlock error: the handlers of a fork
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void prepare(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(&lock) == 0);
}

static NOINLINE void parent_wants(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void child_works(void)
{
	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
}

int main(void)
{
	must(pthread_atfork(prepare, NULL, give) == 0);
	must(child_run(child_works) == 0);
	parent_wants();
	return 0;
}
