/* A handler prints, while a thread keeps the stream and waits for a mutex that the interrupted code has. */
// expect: deadlock-cycle error
// says: call nothing in a signal handler that takes a lock of libc
// within: 8
#include "threads.h"
#include <signal.h>

static pthread_mutex_t rows = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(int number)
{
	(void)number;
	puts("got a signal");
}

static void *print_row(void *unused)
{
	flockfile(stdout);
	pthread_mutex_lock(&rows);
	puts("row");
	pthread_mutex_unlock(&rows);
	funlockfile(stdout);
	return unused;
}

int main(void)
{
	pthread_t worker;

	signal(SIGUSR1, on_signal);
	pthread_mutex_lock(&rows);
	worker = thread_start(print_row);
	usleep(200000);
	raise(SIGUSR1);
	pthread_mutex_unlock(&rows);
	thread_join(worker);
	return 0;
}
