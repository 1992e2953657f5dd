/* A reporter keeps the journal's FILE while it waits for a sum, which the other thread writes there before it tells. */
// expect: deadlock-cycle error
// says: needs? to go on
// within: 8
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
	fprintf(journal, "counted\n");
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
	usleep(200000);
	pthread_create(&counter, NULL, count, NULL);
	pthread_join(reporter, NULL);
	return pthread_join(counter, NULL);
}
