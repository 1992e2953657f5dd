/* The main thread looks each 300 ms whether the flag has come; the thread that would set it has returned early. */
// expect: deadlock-cycle error
// or: deadlock-cycle warning
// within: 8
// outside: nothing: how often it asked, and when its limit began
// watched: nothing: between two limits the only thread may start the one that signals, as a scheduler does
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready, broken = true;

static NOINLINE void *prepare(void *unused)
{
	if (broken)
		return unused;
	mutex_take(&lock);
	ready = true;
	pthread_cond_signal(&changed);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	struct timespec until;

	thread_start(prepare);
	mutex_take(&lock);
	while (!ready) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 300000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&changed, &lock, &until);
	}
	mutex_give(&lock);
	return 0;
}
