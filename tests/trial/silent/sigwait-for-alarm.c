/* The main thread waits by sigwait() for the alarm, with a table locked that another thread wants. */
// expect: none
#include "lib.h"
#include <pthread.h>
#include <signal.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static void *read_table(void *unused)
{
	pthread_mutex_lock(&table);
	pthread_mutex_unlock(&table);
	return unused;
}

int main(void)
{
	pthread_t reader;
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_mutex_lock(&table);
	pthread_create(&reader, NULL, read_table, NULL);
	alarm(10);
	sigwait(&set, &number);
	pthread_mutex_unlock(&table);
	return pthread_join(reader, NULL);
}
