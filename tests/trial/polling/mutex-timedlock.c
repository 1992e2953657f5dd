/* Two threads hold a mutex each and try the other's for 200 ms, for ever. */
// expect: deadlock-cycle error
// options: --hang-after 30
// within: 20
// outside: nothing: how often it asked, and when its limit began
#include "threads.h"

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER, disk = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both;

static NOINLINE void take_in_the_end(pthread_mutex_t *mutex)
{
	struct timespec until;

	do {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_mutex_timedlock(mutex, &until) == ETIMEDOUT);
}

static NOINLINE void *write_back(void *unused)
{
	mutex_take(&disk);
	meet(&both);
	take_in_the_end(&cache);
	return unused;
}

int main(void)
{
	meeting_init(&both, 2);
	thread_start(write_back);
	mutex_take(&cache);
	meet(&both);
	take_in_the_end(&disk);
	return 0;
}
