/*
 * The child wants the lock of a vanished thread with a time limit, longer than a wait must last to be
 * judged. The call comes back, so it is no deadlock.
 */
// expect: none
// may: fork-lock-held warning
#include "lib.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static NOINLINE void child_wants(void)
{
	struct timespec limit = realtime_in_ms(WAIT_JUDGED_MS);

	must(pthread_mutex_timedlock(&lock, &limit) == ETIMEDOUT);
	puts("timed out");
	fflush(stdout);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	keeper_start(&keeper);
	return child_run(child_wants);
}
