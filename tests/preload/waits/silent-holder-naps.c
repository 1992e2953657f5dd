/*
 * A thread keeps a mutex and polls for something in naps, for five seconds; the main thread waits for the mutex for
 * longer than the option allows. Its owner is known to go on, so it does not hang.
 */
// expect: none
// options: --hang-after 2
#include "threads.h"

static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_device;

static NOINLINE void *poll_main(void *unused)
{
	mutex_take(&device);
	gate_open(&has_device);
	for (int nap = 0; nap < 50; nap++)
		sleep_ms(100);
	mutex_give(&device);
	return unused;
}

int main(void)
{
	pthread_t poller;

	gate_init(&has_device);
	poller = thread_start(poll_main);
	gate_wait(&has_device);
	mutex_take(&device);
	mutex_give(&device);
	thread_join(poller);
	puts("had the device");
	return 0;
}
