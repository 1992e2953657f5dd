/*
 * The forking thread holds a normal mutex. It knows no owner when it is unlocked, so parent and child each
 * give back their copy.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void child_unlocks(void)
{
	live_on();
	must(pthread_mutex_unlock(&lock) == 0);
	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	puts("child had the lock");
	fflush(stdout);
}

int main(void)
{
	must(pthread_mutex_lock(&lock) == 0);
	must(child_run(child_unlocks) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	return 0;
}
