/* A thread locks a private robust mutex twice. glibc marks it as process-shared, which it is not. */
// expect: self-deadlock error
// ends: never
// frames: take_again
#include "lib.h"

static pthread_mutex_t lock;

static NOINLINE void take_again(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

int main(void)
{
	mutex_of(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_ROBUST);
	must(pthread_mutex_lock(&lock) == 0);
	take_again();
	return 0;
}
