/* A thread locks a normal mutex with priority inheritance twice: glibc then waits for nothing, for ever. */
// expect: self-deadlock error
// ends: never
// frames: take_again
// outside: nothing: the owner of a mutex with a ceiling
#include "lib.h"

static pthread_mutex_t lock;

static NOINLINE void take_again(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

int main(void)
{
	pthread_mutexattr_t attributes;

	must(pthread_mutexattr_init(&attributes) == 0);
	must(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
	must(pthread_mutex_init(&lock, &attributes) == 0);
	must(pthread_mutex_lock(&lock) == 0);
	take_again();
	return 0;
}
