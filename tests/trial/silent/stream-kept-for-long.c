/* A reporter keeps the journal's FILE while it waits for a sum, which comes after ten seconds; the main thread writes, too. */
// expect: none
#include "lib.h"
#include <pthread.h>
#include <stdio.h>

static FILE *journal;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int sum = -1;

static void *report(void *unused)
{
	flockfile(journal);
	pthread_mutex_lock(&guard);
	while (sum < 0)
		pthread_cond_wait(&changed, &guard);
	pthread_mutex_unlock(&guard);
	funlockfile(journal);
	return unused;
}

static void *count(void *unused)
{
	sleep(10);
	pthread_mutex_lock(&guard);
	sum = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&guard);
	return unused;
}

int main(void)
{
	pthread_t reporter, counter;

	journal = fopen("/dev/null", "w");
	pthread_create(&reporter, NULL, report, NULL);
	pthread_create(&counter, NULL, count, NULL);
	usleep(200000);
	fprintf(journal, "waits\n");
	pthread_join(reporter, NULL);
	return pthread_join(counter, NULL);
}
