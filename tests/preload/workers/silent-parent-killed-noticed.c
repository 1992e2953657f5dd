/*
 * A signal ends a process whose workers notice: one asked for a signal of its own, one waits for the end of a
 * pipe, one has a session of its own.
 */
// expect: none
// silent: parent-lost child-not-joined
#include "lib.h"

#include <signal.h>
#include <sys/prctl.h>

enum manner { ASKS, READS, APART };

static void makes_worker(enum manner manner, struct gate *ready, int life[2])
{
	char byte;

	if (fork())
		return;
	if (manner == ASKS)
		must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
	if (manner == APART)
		must(setsid() > 0);
	close(life[1]);
	close(1);
	gate_open(ready);
	if (manner == READS)
		must(read(life[0], &byte, 1) == 0);
	else
		sleep_ms(900);
	_exit(0);
}

int main(void)
{
	struct gate ready;
	pid_t master = fork();
	int life[2];

	if (master == 0) {
		gate_init(&ready);
		must(pipe(life) == 0);
		makes_worker(APART, &ready, life);
		makes_worker(ASKS, &ready, life);
		makes_worker(READS, &ready, life);
		for (int i = 0; i < 3; i++)
			gate_wait(&ready);
		raise(SIGKILL);
	}
	return child_wait(master) == 128 + SIGKILL ? 0 : 1;
}
