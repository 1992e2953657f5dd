/* Says how it was started: limits, descriptors, what its signals do, timers; then ends as argv[1] says. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static void say_limits(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;

		getrlimit((enum __rlimit_resource)i, &limit);
		dprintf(1, "limit %d: %lld %lld\n", i, (long long)limit.rlim_cur,
			(long long)limit.rlim_max);
	}
}

static void say_signals(void)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int i = 1; i < 32; i++) {
		struct sigaction action;

		sigaction(i, NULL, &action);
		if (action.sa_handler == SIG_IGN || sigismember(&blocked, i))
			dprintf(1, "signal %d: ignored %d blocked %d\n", i,
				action.sa_handler == SIG_IGN, sigismember(&blocked, i));
	}
}

static void say_rest(void)
{
	struct itimerval timer;

	for (int fd = 0; fd < 16; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			dprintf(1, "descriptor %d\n", fd);
	getitimer(ITIMER_REAL, &timer);
	dprintf(1, "alarm %d\n", timer.it_value.tv_sec > 0);
}

int main(int argc, char **argv)
{
	const char *end = argc > 1 ? argv[1] : "0";

	say_limits();
	say_signals();
	say_rest();
	if (!strncmp(end, "fork", 4))
		for (int i = 0; i < 3; i++)
			if (fork() == 0)
				_exit(0);
	if (!strcmp(end, "sleep") || !strcmp(end, "fork-sleep"))
		for (;;)
			pause();
	if (!strcmp(end, "fork"))
		end = "3";
	if (*end == '-')
		kill(getpid(), atoi(end + 1));
	return atoi(end);
}
