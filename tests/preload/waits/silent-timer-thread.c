/*
 * Every thread that the program started waits, but a timer runs out in two seconds and libc itself starts a thread
 * for it, from a thread of its own that no hook has seen.
 */
// expect: none
#include "threads.h"

#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_lock;
static sem_t tick;

static void on_timer(union sigval unused)
{
	(void)unused;
	must(sem_post(&tick) == 0);
}

static void *waiter_main(void *unused)
{
	mutex_take(&lock);
	gate_open(&has_lock);
	must(sem_wait(&tick) == 0);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
	struct itimerspec after = {.it_value = {.tv_sec = 2}};
	pthread_t waiter;
	timer_t timer;

	gate_init(&has_lock);
	must(sem_init(&tick, 0, 0) == 0);
	must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	must(timer_settime(timer, 0, &after, NULL) == 0);
	waiter = thread_start(waiter_main);
	gate_wait(&has_lock);
	mutex_take(&lock);
	mutex_give(&lock);
	thread_join(waiter);
	puts("the timer came");
	return 0;
}
