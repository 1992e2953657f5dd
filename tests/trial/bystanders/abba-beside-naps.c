/* Two threads take two mutexes in opposite orders; a third one naps and counts, as a statistics thread does. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, journal = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both;
static volatile unsigned long naps;

static NOINLINE void *count_naps(void *unused)
{
	for (;; naps++)
		usleep(100000);
	return unused;
}

static NOINLINE void *commit(void *unused)
{
	mutex_take(&journal);
	meet(&both);
	mutex_take(&table);
	return unused;
}

int main(void)
{
	meeting_init(&both, 2);
	thread_start(count_naps);
	thread_start(commit);
	mutex_take(&table);
	meet(&both);
	mutex_take(&journal);
	return 0;
}
