/*
 * The child starts a thread of its own first, which ends each of its waits; and one with a single thread waits
 * for a signal, which is no wait for memory.
 */
// expect: none
#include "lib.h"

#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static bool ready;

static void *signaller_main(void *unused)
{
	(void)unused;
	sleep_ms(WAIT_JUDGED_MS);
	must(pthread_mutex_lock(&lock) == 0);
	ready = true;
	must(pthread_cond_signal(&changed) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	sleep_ms(WAIT_JUDGED_MS);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void child_waits(void)
{
	pthread_t signaller;

	must(pthread_create(&signaller, NULL, signaller_main, NULL) == 0);
	must(pthread_mutex_lock(&lock) == 0);
	while (!ready)
		must(pthread_cond_wait(&changed, &lock) == 0);
	must(pthread_mutex_unlock(&lock) == 0);
	pthread_barrier_wait(&barrier);
	must(pthread_join(signaller, NULL) == 0);
	pthread_barrier_destroy(&barrier);
	must(pthread_barrier_init(&barrier, NULL, 1) == 0);
	pthread_barrier_wait(&barrier);
}

static void child_sigwaits(void)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	must(sigwait(&set, &signal) == 0);
}

int main(void)
{
	sigset_t set;
	pid_t child;

	must(pthread_barrier_init(&barrier, NULL, 2) == 0);
	must(child_run(child_waits) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	must(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	child = fork();
	if (child == 0) {
		child_sigwaits();
		_exit(0);
	}
	sleep_ms(WAIT_JUDGED_MS);
	must(kill(child, SIGUSR1) == 0);
	must(child_wait(child) == 0);
	puts("every wait ended");
	return 0;
}
