/*
 * Two threads lock two mutexes crosswise beside an alarm whose handler ends the program.
 */
// expect: deadlock-cycle error
// ends: handler
// says: only the handler of SIGALRM, due in
#include "lib.h"

#include <signal.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void give_up(int number)
{
	(void)number;
	_exit(7);
}

static NOINLINE void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
	must(pthread_mutex_lock(first) == 0);
	pthread_barrier_wait(&both);
	must(pthread_mutex_lock(second) == 0);
}

static void *take_crosswise(void *unused)
{
	take(&other, &one);
	return unused;
}

int main(void)
{
	pthread_t thread;

	must(signal(SIGALRM, give_up) != SIG_ERR);
	must(pthread_barrier_init(&both, NULL, 2) == 0);
	alarm(4);
	must(pthread_create(&thread, NULL, take_crosswise, NULL) == 0);
	take(&one, &other);
	return 0;
}
