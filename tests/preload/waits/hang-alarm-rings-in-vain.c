/*
 * The main thread waits for a mutex whose owner pauses. An alarm with a handler is set, which rings after three seconds
 * and changes nothing; a child has one that is still to come, and ends no wait of its parent. A third thread ticks.
 */
// expect: hang warning
// options: --hang-after 2
// frames: main
// prints: had the device
#include <signal.h>

#include "threads.h"

static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_device;

static void ring(int signal)
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

static void *tick_main(void *keeper)
{
	for (int tick = 0; tick < 50; tick++)
		sleep_ms(200);
	must(pthread_kill(*(pthread_t *)keeper, SIGUSR1) == 0);
	return NULL;
}

int main(void)
{
	pthread_t keeper, ticker;
	pid_t child;

	signal(SIGALRM, ring);
	signal(SIGUSR1, ring);
	child = fork();
	if (child == 0) {
		alarm(60);
		pause();
		_exit(0);
	}
	gate_init(&has_device);
	keeper = thread_start(pause_main);
	gate_wait(&has_device);
	alarm(3);
	must(pthread_create(&ticker, NULL, tick_main, &keeper) == 0);
	mutex_take(&device);
	mutex_give(&device);
	thread_join(keeper);
	thread_join(ticker);
	must(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
	puts("had the device");
	return 0;
}
