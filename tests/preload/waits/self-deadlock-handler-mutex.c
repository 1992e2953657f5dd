/*
 * A signal handler takes the mutex that the interrupted code holds, beside a thread that ticks: nobody else may unlock it.
 */
// expect: self-deadlock error
// ends: never
// says: in the handler of SIGUSR1 for mutex
// says: volatile sig_atomic_t
// frames: on_signal update
// not: tick_main
#include "lib.h"

#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void on_signal(int number)
{
	(void)number;
	must(pthread_mutex_lock(&lock) == 0);
}

static void *tick_main(void *unused)
{
	for (;;)
		usleep(20000);
	return unused;
}

static NOINLINE void update(void)
{
	must(pthread_mutex_lock(&lock) == 0);
	must(raise(SIGUSR1) == 0);
}

int main(void)
{
	pthread_t thread;

	must(signal(SIGUSR1, on_signal) != SIG_ERR);
	must(pthread_create(&thread, NULL, tick_main, NULL) == 0);
	update();
	return 0;
}
