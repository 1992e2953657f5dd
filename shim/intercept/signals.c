/* SPDX-License-Identifier: Apache-2.0 */
/* The signals that this process handles, and the timers that send it some. See sys.h. */
#include <signal.h>
#include <sys/time.h>

#include "sys.h"

#define BIT(signal) (1ull << ((signal)-1))
/* Signals of the program's own faults, and the two of the C library. */
#define FAULTS                                                                                  \
	(BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGABRT) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGSEGV) | \
	 BIT(SIGSYS) | BIT(32) | BIT(33))
#define ENDS (BIT(SIGHUP) | BIT(SIGINT) | BIT(SIGQUIT) | BIT(SIGTERM))

static uint64_t signals_of(const char *key, uint64_t unknown)
{
	char text[24];

	return sys_line_of("/proc/self/status", key, text, sizeof(text)) ? text_hex(text) : unknown;
}

/* The signals that this process handles; all of them if that cannot be read. */
static uint64_t handled(bool blocked)
{
	uint64_t signals = signals_of("SigCgt:\t", ~0ull);

	return signals && !blocked ? signals & ~signals_of("SigBlk:\t", 0) : signals;
}

bool sys_has_handlers(bool window, bool blocked)
{
	return handled(blocked) & ~(FAULTS | ENDS | BIT(SIGALRM) | (window ? 0 : BIT(SIGWINCH)));
}

uint64_t sys_handled_signals(bool python, bool window, bool blocked)
{
	return handled(blocked) &
	       ~(FAULTS | (python ? BIT(SIGINT) : 0) | (window ? 0 : BIT(SIGWINCH)));
}

uint64_t sys_alarm_ns(void)
{
	struct itimerval timer;

	if (!sys_may(SYS_getitimer))
		return UINT64_MAX; /* it cannot be ruled out */
	if (SYS2(SYS_getitimer, ITIMER_REAL, &timer) ||
	    (!timer.it_value.tv_sec && !timer.it_value.tv_usec))
		return 0;
	if (timer.it_interval.tv_sec || timer.it_interval.tv_usec)
		return UINT64_MAX;
	return sys_now() + (uint64_t)timer.it_value.tv_sec * 1000000000u +
	       (uint64_t)timer.it_value.tv_usec * 1000u;
}

bool sys_catches_alarm(void)
{
	return handled(true) & BIT(SIGALRM);
}

bool sys_has_alarm(void)
{
	return sys_alarm_ns();
}

/* Whether a POSIX timer exists. /proc does not say whether it is armed. */
bool sys_has_timer(void)
{
	char text[1024];

	if (sys_read_file("/proc/self/timers", text, sizeof(text)) <= 0)
		return false;
	for (const char *c = text; *c; c++)
		if (text_starts(c, "notify: signal"))
			return true;
	return false;
}
