/* A sampler's handler allocates memory, as the code does that its timer interrupts; another thread waits for signals. */
// expect: self-deadlock error
// says: SIGALRM
// within: 10
#include "threads.h"
#include <signal.h>
#include <sys/time.h>

static void *volatile kept, *volatile sampled;

static void sample(int number)
{
	(void)number;
	sampled = malloc(5000);
	free(sampled);
}

static void *await_signals(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (;;)
		pause();
	return unused;
}

int main(void)
{
	struct itimerval every = {{0, 300}, {0, 300}};
	void *table[64] = {0};

	thread_start(await_signals);
	usleep(100000);
	signal(SIGALRM, sample);
	setitimer(ITIMER_REAL, &every, NULL);
	for (unsigned i = 0;; i++) {
		free(table[i % 64]);
		table[i % 64] = malloc(2000 + i % 9000);
		kept = table[i % 64];
	}
}
