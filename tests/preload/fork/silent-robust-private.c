/*
 * A thread keeps a robust mutex in private memory; the child waits for it in vain. glibc marks every robust
 * mutex as process-shared, so its memory does not tell it from one that another process may give back, and
 * nothing is said: a known limit. The wait has a time limit here, for the test's sake.
 */
// expect: none
// may: fork-lock-held warning
#include "lib.h"

static pthread_mutex_t lock;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void child_wants(void)
{
	struct timespec limit = realtime_in_ms(WAIT_JUDGED_MS);

	must(pthread_mutex_timedlock(&lock, &limit) == ETIMEDOUT);
	puts("timed out");
	fflush(stdout);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	mutex_of(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_PRIVATE, PTHREAD_MUTEX_ROBUST);
	keeper_start(&keeper);
	return child_run(child_wants);
}
