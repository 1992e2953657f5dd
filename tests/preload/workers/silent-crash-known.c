/*
 * Children that crash, and a parent that takes their status, by each call that gives it: a test of crashes does so.
 */
// expect: none
// silent: worker-failed
#include "lib.h"

#include <signal.h>
#include <sys/resource.h>

static pid_t crashes(int number)
{
	pid_t child = fork();

	if (child == 0) {
		raise(number);
		_exit(0);
	}
	return child;
}

int main(void)
{
	struct rusage usage;
	siginfo_t info;
	int status;
	pid_t child;

	must(child_wait(crashes(SIGSEGV)) == 128 + SIGSEGV);
	child = crashes(SIGABRT);
	must(wait(&status) == child && WTERMSIG(status) == SIGABRT);
	child = crashes(SIGBUS);
	must(wait4(child, &status, 0, &usage) == child && WTERMSIG(status) == SIGBUS);
	child = crashes(SIGKILL);
	must(waitid(P_PID, (id_t)child, &info, WEXITED) == 0 && info.si_status == SIGKILL);
	return 0;
}
