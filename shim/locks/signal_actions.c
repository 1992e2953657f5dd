/* SPDX-License-Identifier: Apache-2.0 */
/* Notes who ignores a signal, and recognises readline's handler of SIGWINCH by the module that it lies in. */
#include "signal_actions.h"

#include <sys/syscall.h>

#include "../intercept/hook.h"
#include "../intercept/scope.h"
#include "../intercept/sys.h"
#include "../record/state.h"

/* The kernel's struct of an action starts with the handler. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* readline calls the previous handler of the signal: none so far. */
STATE static bool nobody_before = true;

/* Whether the address lies in Python's readline module or in libreadline. */
static bool lies_in_readline(uint64_t address)
{
	const struct link_map *map = scope_owner(address);
	char path[512];
	const char *tail;
	long n;

	if (!map || (n = sys_peek(path, map->l_name, sizeof(path) - 1)) <= 0)
		return false;
	path[n] = '\0';
	tail = text_tail(path);
	return text_starts(tail, "readline.") || text_starts(tail, "libreadline.");
}

static void note_window(const struct kernel_action *now)
{
	life_unflag(MPSAN_PROCESS_READLINE);
	if (now->handler == SIG_DFL || now->handler == SIG_IGN)
		nobody_before = true;
	else if (!lies_in_readline((uint64_t)(uintptr_t)now->handler))
		nobody_before = false;
	else if (nobody_before)
		life_flag(MPSAN_PROCESS_READLINE);
}

void signal_action_changed(int number)
{
	struct kernel_action now = {0};

	if (life_is_guest() || SYS4(SYS_rt_sigaction, number, NULL, &now, sizeof(now.mask)) < 0)
		return;
	if (number == SIGWINCH)
		note_window(&now);
	else
		life_ignores(signal_action_mark(number),
			     now.handler == SIG_IGN || (number == SIGCHLD &&
							now.flags & (unsigned long)SA_NOCLDWAIT));
}

bool signal_action_window_counts(void)
{
	return !life_has(MPSAN_PROCESS_READLINE);
}
