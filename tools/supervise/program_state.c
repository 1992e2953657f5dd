/* SPDX-License-Identifier: Apache-2.0 */
/* Saves signal dispositions, limits and timers, and restores them for the program. */
#include "program_state.h"

#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static const int handed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
/* These as well are waited for; SIGINT, from a terminal, reaches the program by itself. */
static const int waited[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD, SIGINT};
static const int ending[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
static const int limits[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define SIGNALS 32

static const int timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

static struct {
	bool taken;
	sigset_t blocked;
	struct rlimit limit[COUNT(limits)];
	bool has_limit[COUNT(limits)];
	struct itimerval timer[COUNT(timers)];
	struct sigaction action[SIGNALS];
	bool has_action[SIGNALS];
} before;

static void handover_widen(void)
{
	for (size_t i = 0; i < COUNT(limits); i++) {
		struct rlimit wide;

		before.has_limit[i] = !getrlimit(limits[i], &before.limit[i]);
		wide = before.limit[i];
		wide.rlim_cur = wide.rlim_max;
		if (before.has_limit[i] && before.limit[i].rlim_cur != wide.rlim_cur)
			setrlimit(limits[i], &wide);
	}
}

rlim_t program_state_limit(int which)
{
	struct rlimit own = {.rlim_cur = RLIM_INFINITY};

	for (size_t i = 0; i < COUNT(limits); i++)
		if (limits[i] == which && before.has_limit[i])
			return before.limit[i].rlim_cur;
	getrlimit(which, &own);
	return own.rlim_cur;
}

static sigset_t set_of(const int *number, size_t count)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < count; i++)
		sigaddset(&set, number[i]);
	return set;
}

void program_state_take(void)
{
	sigset_t set = set_of(handed, COUNT(handed));

	sigaddset(&set, SIGCHLD);
	handover_widen();
	for (size_t i = 0; i < COUNT(timers); i++)
		setitimer(timers[i], &(struct itimerval){0}, &before.timer[i]);
	sigprocmask(SIG_BLOCK, &set, &before.blocked);
	before.taken = true;
	/* an inherited SIG_IGN would discard the exit status */
	program_state_signal(SIGCHLD, SIG_DFL, 0);
	program_state_signal(SIGXFSZ, SIG_IGN, 0);
	program_state_signal(SIGPIPE, SIG_IGN, 0);
}

void program_state_signal(int number, void (*action)(int), int flags)
{
	struct sigaction new = {.sa_handler = action, .sa_flags = flags}, old;

	if (sigaction(number, &new, &old) || before.has_action[number])
		return;
	before.action[number] = old;
	before.has_action[number] = true;
}

void program_state_give(void)
{
	if (!before.taken)
		return;
	for (int i = 1; i < SIGNALS; i++)
		if (before.has_action[i])
			sigaction(i, &before.action[i], NULL);
	for (size_t i = 0; i < COUNT(limits); i++)
		if (before.has_limit[i])
			setrlimit(limits[i], &before.limit[i]);
	for (size_t i = 0; i < COUNT(timers); i++)
		setitimer(timers[i], &before.timer[i], NULL);
	sigprocmask(SIG_SETMASK, &before.blocked, NULL);
}

void program_state_started(void)
{
	sigset_t set = set_of(waited, COUNT(waited));

	sigprocmask(SIG_BLOCK, &set, NULL);
	program_state_signal(SIGQUIT, SIG_IGN, 0);
}

int program_state_wait(int patience_ms, bool *by_terminal)
{
	struct timespec patience = {patience_ms / 1000, patience_ms % 1000 * 1000000l};
	sigset_t set = set_of(waited, COUNT(waited));
	siginfo_t info = {0};
	int number = sigtimedwait(&set, &info, patience_ms < 0 ? NULL : &patience);

	if (by_terminal)
		*by_terminal = number > 0 && info.si_code == SI_KERNEL;
	return number > 0 ? number : 0;
}

void program_state_hand_on(pid_t program, int number)
{
	for (size_t i = 0; i < COUNT(handed); i++)
		if (handed[i] == number)
			kill(program, number);
}

/*
 * A signal to the whole process group, pending from before, was for the program, which has ended.
 */
void program_state_end(void (*action)(int))
{
	sigset_t set = set_of(ending, COUNT(ending));

	while (program_state_wait(0, NULL))
		;
	for (size_t i = 0; i < COUNT(ending); i++)
		program_state_signal(ending[i], action, SA_RESTART);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
