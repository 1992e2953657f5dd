/*
 * Daemons whose intermediate process takes its time to end, as an interpreter with large libraries does: it called setsid
 * and forked once; it also ran a helper before; or it waits until the daemon says that it is ready.
 */
// expect: none
// silent: child-not-joined parent-lost
#include "lib.h"

static void serves(void)
{
	close(1);
	sleep_ms(1500);
	_exit(0);
}

static void runs_helper(void)
{
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	must(child_wait(child) == 0);
}

static void leaves_slowly(void (*first)(void))
{
	pid_t child = fork();

	if (child) {
		must(child_wait(child) == 0);
		return;
	}
	must(setsid() > 0);
	first();
	if (fork() == 0)
		serves();
	sleep_ms(500);
	_exit(0);
}

static void nothing(void)
{
}

static void waits_until_ready(void)
{
	pid_t child = fork();
	struct gate ready;

	if (child) {
		must(child_wait(child) == 0);
		return;
	}
	must(setsid() > 0);
	gate_init(&ready);
	if (fork() == 0) {
		sleep_ms(400);
		gate_open(&ready);
		serves();
	}
	gate_wait(&ready);
	exit(0);
}

int main(void)
{
	leaves_slowly(nothing);
	leaves_slowly(runs_helper);
	waits_until_ready();
	return 0;
}
