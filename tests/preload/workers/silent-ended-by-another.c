/*
 * Workers that their parent, or another worker, ends by each call that sends a signal, and that nobody asks how they ended;
 * and one that asked to end with its parent.
 */
// expect: none
// silent: worker-failed
#include "lib.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static pid_t worker(void)
{
	struct gate ready;
	pid_t child;

	gate_init(&ready);
	child = fork();
	if (child == 0) {
		must(setpgid(0, 0) == 0);
		gate_open(&ready);
		sleep_ms(60000);
	}
	gate_wait(&ready);
	return child;
}

static void follows_its_parent(void)
{
	struct gate ready;
	pid_t parent;

	gate_init(&ready);
	parent = fork();
	if (parent)
		return (void)child_wait(parent);
	if (fork() == 0) {
		must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
		gate_open(&ready);
		sleep_ms(60000);
	}
	gate_wait(&ready);
	_exit(0);
}

int main(void)
{
	pid_t child, other;

	must(kill(worker(), SIGKILL) == 0);
	must(wait(NULL) > 0);
	must(sigqueue(worker(), SIGKILL, (union sigval){0}) == 0);
	must(wait(NULL) > 0);
	must(killpg(worker(), SIGKILL) == 0);
	must(wait(NULL) > 0);
	must(kill(-worker(), SIGABRT) == 0);
	must(wait(NULL) > 0);
	must(syscall(SYS_kill, worker(), SIGKILL) == 0);
	must(wait(NULL) > 0);
	child = worker();
#ifdef SYS_pidfd_open
	must(syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, child, 0), SIGKILL, NULL, 0) ==
	     0);
#else
	must(kill(child, SIGKILL) == 0);
#endif
	must(wait(NULL) > 0);
	child = worker();
	other = fork();
	if (other == 0)
		_exit(kill(child, SIGKILL));
	must(waitpid(child, NULL, 0) == child && child_wait(other) == 0);
	follows_its_parent();
	return 0;
}
