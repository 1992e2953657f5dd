/* A semaphore of one permit guards a list; the timer's handler waits for it while the main thread has it. */
// expect: self-deadlock error
// says: SIGALRM
// within: 6
// outside: nothing: who took it
#include "lib.h"
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

static sem_t list_guard;
static volatile sig_atomic_t entered;

static NOINLINE void on_timer(int number)
{
	(void)number;
	entered = 1;
	while (sem_wait(&list_guard))
		;
	sem_post(&list_guard);
}

int main(void)
{
	struct itimerval soon = {.it_value = {.tv_usec = 100000}};

	sem_init(&list_guard, 0, 1);
	signal(SIGALRM, on_timer);
	setitimer(ITIMER_REAL, &soon, NULL);
	sem_wait(&list_guard);
	while (!entered)
		;
	sem_post(&list_guard);
	return 0;
}
