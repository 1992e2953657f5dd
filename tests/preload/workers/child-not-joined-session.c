/*
 * A server in a session of its own waits for one of its two workers, and ends without a word to the other.
 */
// expect: child-not-joined warning
// frames: starts_worker
// says: no process waits for it any more
#include "lib.h"

static NOINLINE pid_t starts_worker(unsigned ms)
{
	pid_t child = fork();

	if (child == 0) {
		close(1);
		sleep_ms(ms);
		_exit(0);
	}
	return child;
}

static void serves(void)
{
	pid_t one;

	must(setsid() > 0);
	one = starts_worker(300);
	must(starts_worker(1500) > 0);
	must(child_wait(one) == 0);
}

int main(void)
{
	must(child_run(serves) == 0);
	return 0;
}
