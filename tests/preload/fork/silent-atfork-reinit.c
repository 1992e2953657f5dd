/*
 * The other cure: a thread holds the lock at the fork, and a child handler makes the child's copy anew.
 */
// expect: none
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(&lock) == 0);
}

static void make_anew(void)
{
	must(pthread_mutex_init(&lock, NULL) == 0);
}

static void child_works(void)
{
	live_on();
	take();
	give();
	puts("child had the lock");
	fflush(stdout);
}

int main(void)
{
	static struct keeper keeper = {.take = take, .give = give};
	int status;

	must(pthread_atfork(NULL, NULL, make_anew) == 0);
	keeper_start(&keeper);
	status = child_run(child_works);
	keeper_stop(&keeper);
	return status;
}
