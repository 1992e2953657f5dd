/* pthread_cond_timedwait as a sleep that could be cut short: nobody ever signals, and nobody has to. */
// expect: none
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop = PTHREAD_COND_INITIALIZER;

int main(void)
{
	struct timespec until;

	for (int i = 0; i < 5; i++) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 1;
		mutex_take(&lock);
		must(pthread_cond_timedwait(&stop, &lock, &until) == ETIMEDOUT);
		mutex_give(&lock);
	}
	return 0;
}
