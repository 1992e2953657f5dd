/*
 * A thread locks its own mutex again beside an alarm whose handler ends the program: it is told, and left alone.
 */
// expect: self-deadlock error
// ends: handler
// says: only the handler of SIGALRM, due in
// frames: lock_again main
#include "lib.h"

#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void give_up(int number)
{
	(void)number;
	_exit(7);
}

static NOINLINE void lock_again(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

int main(void)
{
	must(signal(SIGALRM, give_up) != SIG_ERR);
	must(pthread_mutex_lock(&lock) == 0);
	alarm(2);
	lock_again();
	return 0;
}
