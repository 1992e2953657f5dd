/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the copy-on-write memory of a forked child. The kernel says which memory is still
 * shared, but not which process copied what: pages.c takes the least that each number allows.
 * Interpreter shutdown touches every object once more, and so copies what the work had left alone:
 * the count is taken when shutdown begins. CPython (3.8 to 3.14) then first flushes stdout, with no
 * Python code running, where SystemExit ends the program; runs exit handlers; clears its
 * initialised flag; restores its signal handlers, of which there are none if SIGINT was ignored at
 * its start, as in a shell's background; and then collects garbage.
 */
#include "cow.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "../common/pages.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../python/python.h"
#include "../record/log.h"
#include "../record/state.h"

#define INHERITED_MIN (32u << 20)
#define GIVEN_MIN (16u << 20)
/* of CPU time: exit handlers take less; more means that it was not the end */
#define HANDLERS_NS 1000000000u

struct count {
	uint64_t time_ns, spent_ns; /* spent: CPU time */
	uint64_t given, copied;
	/* of what was given: after the pages were read, so it may be copies as well */
	uint64_t unread;
};

STATE static struct {
	uint64_t inherited; /* bytes; 0: too little to examine */
	struct count flushed; /* when interpreter shutdown seemed to begin */
	struct count worked; /* when it left its work */
	bool python; /* it was forked with a running interpreter */
	bool left;
} growth;

static bool usage(struct rusage *to)
{
	return SYS2(SYS_getrusage, RUSAGE_SELF, to) == 0;
}

/* The anonymous memory of a process; 0 if it has ended. */
static uint64_t anonymous_of(uint32_t pid)
{
	char path[40], text[128], *end = path + sizeof(path), *at = text_put(path, end, "/proc/");

	at = pid ? text_put_number(at, end, pid, 10) : text_put(at, end, "self");
	text_put(at, end, "/statm");
	return sys_read_file(path, text, sizeof(text)) > 0 ? pages_anonymous(text) : 0;
}

STATE static uint64_t gives; /* to the child of the fork under way: inherited */

/* Asked here: for a process that was just born the kernel first has to make its directory in /proc. */
void cow_before_fork(void)
{
	struct rusage now;

	gives = usage(&now) && (uint64_t)now.ru_maxrss << 10 >= INHERITED_MIN ? anonymous_of(0) : 0;
}

void cow_forked(void)
{
	growth = (typeof(growth)){.inherited = gives >= INHERITED_MIN ? gives : 0};
	growth.python = growth.inherited && python_present();
	gives = 0;
}

static void read_pages(struct pages *pages)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, "/proc/self/smaps", O_RDONLY | O_CLOEXEC, 0), n;
	char text[512];

	if (fd < 0)
		return;
	while ((n = SYS3(SYS_read, fd, text, sizeof(text))) > 0)
		pages_read(pages, text, (size_t)n);
	pages_read(pages, NULL, 0);
	SYS1(SYS_close, fd);
}

static uint64_t spent(const struct rusage *now)
{
	return (uint64_t)(now->ru_utime.tv_sec + now->ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(now->ru_utime.tv_usec + now->ru_stime.tv_usec) * 1000u;
}

/*
 * Counts the copied memory; false: unknown. If the parent has ended, its memory is private to the
 * child, copied or not. If too little was allocated since the pages were read for `last`, they are
 * not read again.
 */
static bool cow_count(struct count *to, const struct count *last)
{
	struct pages pages = {0};
	struct pages_bounds bounds = {.inherited = growth.inherited};
	struct rusage now;

	if (!usage(&now) || (uint32_t)SYS1(SYS_getppid, 0) != life.self->parent_pid)
		return false;
	bounds.given = (uint64_t)now.ru_minflt * PAGES_BYTES;
	*to = (struct count){.time_ns = sys_now(),
			     .spent_ns = spent(&now),
			     .given = bounds.given,
			     .copied = last->copied,
			     .unread = bounds.given - last->given + last->unread};
	if (to->unread < GIVEN_MIN)
		return true;
	bounds.parents = anonymous_of(life.self->parent_pid);
	read_pages(&pages);
	to->copied = pages_copied(&pages, &bounds);
	to->unread = 0;
	return true;
}

/* Records the count even if nothing was copied: the command then need not guess. */
static void cow_state(const struct count *worked)
{
	growth.worked = *worked;
	EMIT(growth, .copied = worked->copied, .resident = anonymous_of(0),
	     .inherited = growth.inherited, .lasted = worked->time_ns - life.self->birth_ns);
}

/*
 * Records the end of the work, which began with the flush before exit handlers: these do not count
 * as work.
 */
static void cow_leave(void)
{
	static const struct count nothing;
	const struct count *flushed = &growth.flushed;
	struct count now;
	struct rusage used;

	if (__atomic_exchange_n(&growth.left, true, __ATOMIC_RELAXED))
		return;
	if (flushed->time_ns && !flushed->unread && usage(&used) &&
	    spent(&used) - flushed->spent_ns < HANDLERS_NS) {
		cow_state(flushed);
	} else if (cow_count(&now, &nothing)) {
		growth.worked = now;
		if (!now.unread)
			cow_state(&now);
	}
}

/* Whether interpreter shutdown has begun. */
static bool is_taken_down(void)
{
	return growth.python && !python_present();
}

void cow_leaves(void)
{
	if (LIKELY(!growth.inherited) || growth.left || is_taken_down() || !life_may_state())
		return;
	GUARDED {
		cow_leave();
	}
}

void cow_acts(void)
{
	if (LIKELY(!growth.inherited) || growth.left || !is_taken_down() || !life_may_state())
		return;
	GUARDED {
		cow_leave();
	}
}

void cow_flushes(void)
{
	if (LIKELY(!growth.inherited) || growth.left || !growth.python || !life_may_state() ||
	    !python_is_idle())
		return;
	GUARDED {
		cow_count(&growth.flushed, &growth.flushed);
	}
}

void cow_ended(void)
{
	const struct count *worked = &growth.worked;
	struct count now;

	if (LIKELY(!growth.inherited) || !life_may_state())
		return;
	GUARDED {
		/* Its end began unseen: only its last flush is known. */
		if (!growth.left && growth.flushed.time_ns)
			cow_state(&growth.flushed);
		if ((growth.left || growth.flushed.time_ns) && cow_count(&now, worked) &&
		    !now.unread && now.copied > worked->copied + worked->unread)
			EMIT(growth_end, .copied = now.copied - worked->copied - worked->unread,
			     .inherited = growth.inherited);
	}
}
