/*
 * See growth.h. The kernel says how much of a process's memory is still shared, and how often it had to
 * give it a page of its own; neither alone tells copies of inherited pages from new memory. What counts
 * is the least of three: pages given, private dirty memory, and what is missing of what was inherited.
 */
#include "growth.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>

#include "hook.h"
#include "life.h"
#include "log.h"
#include "sys.h"

#define INHERITED_MIN (32u << 20)
#define COPIED_MIN (16u << 20)
#define PAGE_BYTES 4096u

/* A child's peak begins with what its parent had resident and it can reach. */
STATE static uint64_t inherited;

static bool usage(struct rusage *to)
{
	return SYS2(SYS_getrusage, RUSAGE_SELF, to) == 0;
}

void growth_forked(void)
{
	struct rusage now;

	inherited = usage(&now) ? (uint64_t)now.ru_maxrss << 10 : 0;
}

/* Lines "Name:    NUMBER kB". */
static uint64_t value_of(const char *text, const char *name)
{
	for (; *text; text++) {
		if (!text_starts(text, name))
			continue;
		while (*text && (*text < '0' || *text > '9'))
			text++;
		return text_number(text, NULL) << 10;
	}
	return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the parent has given back since is no longer shared either, and nobody copied it. */
static bool parent_has_kept(void)
{
	char path[40], text[128], *end = path + sizeof(path), *at = text_put(path, end, "/proc/");
	const char *rest;

	at = text_put_number(at, end, life.self->parent_pid, 10);
	text_put(at, end, "/statm");
	if (sys_read_file(path, text, sizeof(text)) <= 0)
		return false;
	text_number(text, &rest);
	return *rest && text_number(rest + 1, NULL) * PAGE_BYTES + COPIED_MIN > inherited;
}

/* `given`: bytes of pages that were given to this process. */
static void look(uint64_t given)
{
	char text[2048];
	uint64_t resident, kept, copied;

	if (sys_read_file("/proc/self/smaps_rollup", text, sizeof(text)) <= 0)
		return;
	resident = value_of(text, "\nRss:");
	kept = value_of(text, "\nShared_Clean:") + value_of(text, "\nShared_Dirty:") +
	       value_of(text, "\nPrivate_Clean:");
	copied = least(given, value_of(text, "\nPrivate_Dirty:"));
	copied = least(copied, inherited > kept ? inherited - kept : 0);
	if (copied >= COPIED_MIN && parent_has_kept())
		EMIT(growth, .copied = copied, .resident = resident, .inherited = inherited,
		     .lasted = sys_now() - life.self->birth_ns);
}

/* When the parent is gone its memory is nobody else's any more, copied or not. */
void growth_state(void)
{
	struct rusage now;
	uint64_t given;

	if (inherited < INHERITED_MIN || !usage(&now) ||
	    (uint32_t)SYS1(SYS_getppid, 0) != life.self->parent_pid)
		return;
	given = (uint64_t)now.ru_minflt * PAGE_BYTES;
	if (given < COPIED_MIN)
		return;
	INSIDE
	{
		look(given);
	}
}
