/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches the library off in this process and says why: in the slot, and in one line if no command
 * supervises the session.
 */
#include "switch_off.h"

#include <errno.h>

#include "../common/no_log.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "session.h"
#include "state.h"
#include "table.h"

/*
 * Whether the parent also loads the library: only the root of a tree of processes prints the line.
 */
static bool parent_loads_us(void)
{
	static char text[32768] LARGE; /* too large for a stack, and rarely touched */
	char path[40], *end = path + sizeof(path), *at = text_put(path, end, "/proc/");
	long bytes;

	at = text_put_number(at, end, (uint64_t)SYS1(SYS_getppid, 0), 10);
	text_put(at, end, "/environ");
	bytes = sys_read_file(path, text, sizeof(text));
	if (bytes == -ENOENT)
		return session_told_parent();
	for (long i = 0; i < bytes; i++)
		if (text_starts(text + i, "libmpsan.so"))
			return true;
	return false;
}

static void say_unwatched(const char *why)
{
	const char *const line[] = {"mpsan: this program runs unwatched: ", why, NULL};

	sys_print(line);
}

/* The first process without a slot prints this; a supervising command counts the rest. */
void switch_off_full(void)
{
	if (!life.quiet && table_is_full)
		say_unwatched(
			life.session->slots < life.session->slots_max ?
				"the session's process table is full and cannot grow: full disk, "
				"a limit on files, or dropped privileges" :
				"the session's process table is full");
	table_is_full = false;
}

/* The first process without a log prints this. */
static void say_unlogged(unsigned why)
{
	if (!__atomic_fetch_add(&life.session->unlogged, 1, __ATOMIC_RELEASE) && !life.quiet)
		say_unwatched(no_log_text(why));
}

void switch_off_for(unsigned why)
{
	hook_off = true;
	if (why == MPSAN_OFF_SECCOMP)
		sys_filter(0);
	if (life.self) {
		life.self->why_off = (uint16_t)why;
		life_flag(MPSAN_PROCESS_OFF);
		if (no_log_text(why))
			say_unlogged(why);
	} else if (table_is_full) {
		switch_off_full();
	} else if ((session_refused || !life.quiet) && !parent_loads_us()) {
		say_unwatched(session_refused ? session_refused :
						no_log_text(no_log_reason(session_error)));
	}
}

void switch_off_cut_short(void)
{
	if (!life.quiet)
		say_unwatched("a file of the session was truncated");
}
