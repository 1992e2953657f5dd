/* The forking thread holds the lock that a prepare handler of its own takes: the fork never happens. */
// expect: fork-handler-deadlock error
// ends: never
// frames: prepare main
// outside: self-deadlock error: the handlers of a fork
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void prepare(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(&lock) == 0);
}

int main(void)
{
	must(pthread_atfork(prepare, give, give) == 0);
	must(pthread_mutex_lock(&lock) == 0);
	return fork();
}
