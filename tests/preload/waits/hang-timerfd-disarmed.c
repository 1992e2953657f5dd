/*
 * A thread keeps a mutex and reads a timerfd that is not set; another one that is set belongs to nobody's wait. The main
 * thread waits for the mutex, while a third thread ticks, which sets the timer at last.
 */
// expect: hang warning
// options: --hang-after 2
// frames: main
// prints: had the device
#include <sys/timerfd.h>

#include "threads.h"

static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_device;
static int timer, other;

static NOINLINE void *keep_main(void *unused)
{
	uint64_t ticks;

	mutex_take(&device);
	gate_open(&has_device);
	must(read(timer, &ticks, sizeof(ticks)) == sizeof(ticks));
	mutex_give(&device);
	return unused;
}

static void *tick_main(void *unused)
{
	struct itimerspec after = {.it_value = {.tv_nsec = 1}};

	for (int tick = 0; tick < 40; tick++)
		sleep_ms(200);
	must(timerfd_settime(timer, 0, &after, NULL) == 0);
	return unused;
}

int main(void)
{
	struct itimerspec late = {.it_value = {.tv_sec = 9}};
	pthread_t keeper, ticker;

	gate_init(&has_device);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	other = timerfd_create(CLOCK_MONOTONIC, 0);
	must(timer >= 0 && timerfd_settime(other, 0, &late, NULL) == 0);
	keeper = thread_start(keep_main);
	gate_wait(&has_device);
	ticker = thread_start(tick_main);
	mutex_take(&device);
	mutex_give(&device);
	thread_join(keeper);
	thread_join(ticker);
	puts("had the device");
	return 0;
}
