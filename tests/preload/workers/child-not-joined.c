/*
 * A process copies itself, and ends without a word to the copy, which works on.
 */
// expect: child-not-joined warning
// frames: leaves_worker
// says: no process waits for it any more
#include "lib.h"

static NOINLINE pid_t leaves_worker(void)
{
	return fork();
}

int main(void)
{
	pid_t child = leaves_worker();

	must(child >= 0);
	if (child == 0) {
		sleep_ms(900);
		_exit(0);
	}
	return 0;
}
