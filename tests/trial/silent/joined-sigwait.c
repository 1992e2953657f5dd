/* The main thread joins one that waits for SIGTERM by sigwait(), and needs no handler. */
// expect: none
// options: --hang-after 1
// stop: SIGTERM 4
#include "threads.h"

static sigset_t set;

static NOINLINE void *serve(void *unused)
{
	int number;

	must(sigwait(&set, &number) == 0);
	return unused;
}

int main(void)
{
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	must(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	thread_join(thread_start(serve));
	return 0;
}
