/*
 * A signal ends a process that has two workers; they never hear of it.
 */
// expect: parent-lost warning
// frames: makes_worker
// says: 2 of the workers
#include "lib.h"

#include <signal.h>

static NOINLINE pid_t makes_worker(struct gate *ready)
{
	pid_t child = fork();

	must(child >= 0);
	if (child == 0) {
		gate_open(ready);
		sleep_ms(1500);
		_exit(0);
	}
	return child;
}

int main(void)
{
	struct gate ready;
	pid_t master = fork();

	if (master == 0) {
		gate_init(&ready);
		makes_worker(&ready);
		makes_worker(&ready);
		gate_wait(&ready);
		gate_wait(&ready);
		raise(SIGKILL);
	}
	return child_wait(master) == 128 + SIGKILL ? 0 : 1;
}
