/*
 * All threads wait: the main thread joins one that waits for a semaphore. A timer's signal interrupts the main
 * thread, and its handler posts. Another thread waits in sigwait for a signal that this handler sends.
 */
// expect: none
#include "threads.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

static sem_t tick;

static void on_alarm(int number)
{
	(void)number;
	must(sem_post(&tick) == 0);
	must(kill(getpid(), SIGUSR1) == 0);
}

static void *tick_main(void *unused)
{
	while (sem_wait(&tick) != 0)
		must(errno == EINTR);
	return unused;
}

static void *signal_main(void *unused)
{
	sigset_t wanted;
	int number;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	must(sigwait(&wanted, &number) == 0 && number == SIGUSR1);
	return unused;
}

int main(void)
{
	struct itimerval after = {.it_value = {.tv_sec = 2}};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	pthread_t ticker, signalled;
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	must(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0);
	must(sem_init(&tick, 0, 0) == 0);
	must(sigaction(SIGALRM, &action, NULL) == 0);
	must(setitimer(ITIMER_REAL, &after, NULL) == 0);
	ticker = thread_start(tick_main);
	signalled = thread_start(signal_main);
	thread_join(ticker);
	thread_join(signalled);
	puts("the timer posted");
	return 0;
}
