/*
 * Children stand in a dead end, and each is ended by a signal that was arranged for before: by an alarm
 * that outlives the exec, also one of a raw system call or of a program that nobody watches, by a timer,
 * or by the end of its parent.
 */
// expect: none
#include "alarm_dead_end.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

enum { SECONDS = 2 };

static const char *self;

static void become(const char *what)
{
	execl(self, self, what, (char *)NULL);
	_exit(5);
}

static void by_alarm(void)
{
	alarm(SECONDS);
	become("park");
}

static void by_ualarm(void)
{
	ualarm(900000, 900000);
	become("park");
}

static void by_setitimer(void)
{
	struct itimerval after = {.it_value = {.tv_sec = SECONDS}};

	must(setitimer(ITIMER_REAL, &after, NULL) == 0);
	become("park");
}

static void by_raw_call(void)
{
#ifdef SYS_alarm
	syscall(SYS_alarm, SECONDS);
#else
	struct itimerval after = {.it_value = {.tv_sec = SECONDS}};

	syscall(SYS_setitimer, ITIMER_REAL, &after, NULL);
#endif
	dead_end();
}

static void by_timer(void)
{
	struct itimerspec after = {.it_value = {.tv_sec = SECONDS}};
	timer_t timer;

	must(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
	must(timer_settime(timer, 0, &after, NULL) == 0);
	dead_end();
}

/* What starts here is not watched, and puts back what it takes to be watched before the next exec. */
static void by_stranger(void)
{
	const char *preload = getenv("LD_PRELOAD");

	if (preload)
		setenv("KEPT_PRELOAD", preload, 1);
	unsetenv("LD_PRELOAD");
	become("alarm");
}

static void by_parent(void)
{
	struct gate gate;

	gate_init(&gate);
	if (!fork()) {
		must(prctl(PR_SET_PDEATHSIG, SIGTERM) == 0);
		gate_open(&gate);
		become("park");
	}
	gate_wait(&gate);
	sleep_ms(SECONDS * 1000);
	raise(SIGALRM);
}

static void (*const way[])(void) = {by_alarm, by_ualarm,   by_setitimer, by_raw_call,
				    by_timer, by_stranger, by_parent};

int main(int argc, char **argv)
{
	const int ways = (int)(sizeof(way) / sizeof(*way));
	int status, ended = 0;

	self = argv[0];
	if (argc > 1 && !strcmp(argv[1], "alarm")) {
		alarm(SECONDS);
		if (getenv("KEPT_PRELOAD"))
			setenv("LD_PRELOAD", getenv("KEPT_PRELOAD"), 1);
		become("park");
	}
	if (argc > 1)
		dead_end();
	for (int i = 0; i < ways; i++)
		if (!fork())
			way[i]();
	while (wait(&status) > 0)
		ended += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
	printf("%d of %d ended by an alarm\n", ended, ways);
	return 0;
}
