/* pthread_mutex_timedlock in a loop, on a mutex whose owner naps under it for five seconds. */
// expect: none
#include "threads.h"

static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_device;

static void *use(void *unused)
{
	mutex_take(&device);
	gate_open(&has_device);
	for (int i = 0; i < 50; i++)
		usleep(100000);
	mutex_give(&device);
	return unused;
}

int main(void)
{
	struct timespec until;
	pthread_t user;

	gate_init(&has_device);
	user = thread_start(use);
	gate_wait(&has_device);
	do {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
	} while (pthread_mutex_timedlock(&device, &until) == ETIMEDOUT);
	mutex_give(&device);
	thread_join(user);
	return 0;
}
