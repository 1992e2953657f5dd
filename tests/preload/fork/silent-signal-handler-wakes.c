/*
 * As fork-lost-wakeup-futex.c, in a child whose handler of SIGTERM changes the word. A thread of the parent was not
 * copied, and has nothing to do with it.
 */
// expect: none
#include "lib.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_uint stopped;

static void stop(int number)
{
	(void)number;
	atomic_store(&stopped, 1);
	syscall(SYS_futex, &stopped, FUTEX_WAKE_PRIVATE, 1);
}

static void *beside_main(void *unused)
{
	return sleep_ms(2 * WAIT_JUDGED_MS), unused;
}

int main(void)
{
	pthread_t beside;
	pid_t child;

	must(signal(SIGTERM, stop) != SIG_ERR);
	must(pthread_create(&beside, NULL, beside_main, NULL) == 0);
	child = fork();
	if (child == 0) {
		while (!atomic_load(&stopped))
			syscall(SYS_futex, &stopped, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, ~0u);
		_exit(0);
	}
	until_asleep(child, child);
	sleep_ms(WAIT_JUDGED_MS);
	must(kill(child, SIGTERM) == 0);
	must(child_wait(child) == 0);
	must(pthread_join(beside, NULL) == 0);
	return 0;
}
