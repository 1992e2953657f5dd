/* See window.h. */
#include "window.h"

#include <signal.h>
#include <sys/syscall.h>

#include "hook.h"
#include "life.h"
#include "scope.h"
#include "sys.h"

/* What the kernel keeps of an action begins with the handler. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* readline calls whoever handled the signal before it: nobody, so far. */
STATE static bool nobody_before = true;
STATE static bool is_readline;

/* Python's module for it, or the library itself. */
static bool lies_in_readline(uint64_t address)
{
	const struct link_map *map = scope_owner(address);
	const char *tail;
	char path[512];
	long n;

	if (!map || (n = sys_peek(path, map->l_name, sizeof(path) - 1)) <= 0)
		return false;
	path[n] = '\0';
	tail = path;
	for (const char *c = path; *c; c++)
		if (*c == '/')
			tail = c + 1;
	return text_starts(tail, "readline.") || text_starts(tail, "libreadline.");
}

void window_changed(void)
{
	struct kernel_action now = {0};

	if (life_is_guest() || SYS4(SYS_rt_sigaction, SIGWINCH, NULL, &now, sizeof(now.mask)) < 0)
		return;
	is_readline = false;
	if (now.handler == SIG_DFL || now.handler == SIG_IGN)
		nobody_before = true;
	else if (!lies_in_readline((uint64_t)(uintptr_t)now.handler))
		nobody_before = false;
	else
		is_readline = nobody_before;
	if (is_readline)
		life_flag(MPSAN_PROCESS_READLINE);
	else
		life_unflag(MPSAN_PROCESS_READLINE);
}

bool window_counts(void)
{
	return !is_readline;
}

void window_forked(void)
{
	if (is_readline)
		life_flag(MPSAN_PROCESS_READLINE);
}
