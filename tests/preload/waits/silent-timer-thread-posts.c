/*
 * The main thread waits for a semaphore that a timer's function posts after five seconds, in a thread that libc starts
 * then; another thread waits for a mutex that the main one keeps.
 */
// expect: none
// options: --hang-after 2
#include "threads.h"

#include <semaphore.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t tick;

static void on_timer(union sigval unused)
{
	(void)unused;
	must(sem_post(&tick) == 0);
}

static void *waiter_main(void *unused)
{
	mutex_take(&lock);
	mutex_give(&lock);
	return unused;
}

int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
	struct itimerspec after = {.it_value = {.tv_sec = 5}};
	pthread_t waiter;
	timer_t timer;

	must(sem_init(&tick, 0, 0) == 0);
	must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	must(timer_settime(timer, 0, &after, NULL) == 0);
	mutex_take(&lock);
	waiter = thread_start(waiter_main);
	must(sem_wait(&tick) == 0);
	mutex_give(&lock);
	thread_join(waiter);
	puts("the timer came");
	return 0;
}
