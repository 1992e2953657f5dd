/*
 * A thread keeps a mutex and waits in pause() for a signal, while another one ticks; the main thread waits for the mutex.
 * A signal may come at any time, as it does here in the end, so nothing is proven; but nobody is known to be at work.
 */
// expect: hang warning
// options: --hang-after 2
// frames: main
// prints: had the device
#include <signal.h>

#include "threads.h"

static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_device;

static void wake(int signal)
{
	(void)signal;
}

static NOINLINE void *pause_main(void *unused)
{
	mutex_take(&device);
	gate_open(&has_device);
	pause();
	mutex_give(&device);
	return unused;
}

static void *tick_main(void *holder)
{
	for (int tick = 0; tick < 40; tick++)
		sleep_ms(200);
	must(pthread_kill(*(pthread_t *)holder, SIGUSR1) == 0);
	return NULL;
}

int main(void)
{
	pthread_t holder, ticker;

	signal(SIGUSR1, wake);
	gate_init(&has_device);
	holder = thread_start(pause_main);
	gate_wait(&has_device);
	must(pthread_create(&ticker, NULL, tick_main, &holder) == 0);
	mutex_take(&device);
	mutex_give(&device);
	thread_join(holder);
	thread_join(ticker);
	puts("had the device");
	return 0;
}
