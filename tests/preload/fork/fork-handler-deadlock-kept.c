/* The same without anybody who wants the lock later: a hazard. */
// expect: fork-handler-deadlock warning
// says: prepare (fork-handler-deadlock-kept.c:
#include "lib.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static NOINLINE void prepare(void)
{
	must(pthread_rwlock_wrlock(&lock) == 0);
}

static void nothing(void)
{
}

int main(void)
{
	must(pthread_atfork(prepare, NULL, NULL) == 0);
	must(child_run(nothing) == 0);
	puts("done");
	return 0;
}
