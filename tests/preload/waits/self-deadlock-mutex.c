/*
 * A thread locks its own normal mutex again. No fork is needed for that.
 */
// expect: self-deadlock error
// ends: never
// frames: lock_again main
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void lock_again(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

int main(void)
{
	must(pthread_mutex_lock(&lock) == 0);
	lock_again();
	return 0;
}
