/* SPDX-License-Identifier: Apache-2.0 */
/* Names system calls and their first arguments. */
#include "calls.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/system_calls.h"
#include "../base/util.h"
#include "descriptors.h"
#include "proc.h"
#include "process/status.h"
#include "procfs.h"
#include "sysv_ipc.h"

#define PATH_BYTES 128

/* The type of a call's first argument; of PATH_AT, of its second. */
enum first { NOTHING, DESCRIPTOR, PID, PATH, PATH_AT };

static const struct {
	long number;
	const char *name;
	enum first first;
} calls[] = {
/* clang-format off */
#define CALL(name, first) {SYS_##name, #name, first},
	CALL(read, DESCRIPTOR)
	CALL(write, DESCRIPTOR)
	CALL(readv, DESCRIPTOR)
	CALL(writev, DESCRIPTOR)
	CALL(pread64, DESCRIPTOR)
	CALL(pwrite64, DESCRIPTOR)
	CALL(recvfrom, DESCRIPTOR)
	CALL(recvmsg, DESCRIPTOR)
	CALL(sendto, DESCRIPTOR)
	CALL(sendmsg, DESCRIPTOR)
	CALL(connect, DESCRIPTOR)
	CALL(accept, DESCRIPTOR)
	CALL(accept4, DESCRIPTOR)
	CALL(splice, DESCRIPTOR)
	CALL(flock, DESCRIPTOR)
	CALL(fcntl, DESCRIPTOR)
	CALL(fsync, DESCRIPTOR)
	CALL(ioctl, DESCRIPTOR)
	CALL(epoll_wait, DESCRIPTOR)
	CALL(epoll_pwait, DESCRIPTOR)
	CALL(mq_timedreceive, DESCRIPTOR)
	CALL(mq_timedsend, DESCRIPTOR)
	CALL(io_uring_enter, DESCRIPTOR)
	CALL(poll, NOTHING)
	CALL(ppoll, NOTHING)
	CALL(select, NOTHING)
	CALL(pselect6, NOTHING)
	CALL(nanosleep, NOTHING)
	CALL(clock_nanosleep, NOTHING)
	CALL(pause, NOTHING)
	CALL(rt_sigsuspend, NOTHING)
	CALL(rt_sigtimedwait, NOTHING)
	CALL(semop, NOTHING)
	CALL(semtimedop, NOTHING)
	CALL(msgrcv, NOTHING)
	CALL(msgsnd, NOTHING)
	CALL(open, PATH)
	CALL(openat, PATH_AT)
	CALL(vfork, NOTHING)
	CALL(clone, NOTHING)
	CALL(wait4, PID)
	CALL(waitid, NOTHING)
	CALL(futex, NOTHING)
	CALL(io_getevents, NOTHING)
#undef CALL
	/* clang-format on */
};

static size_t find_call(long number)
{
	size_t i = 0;

	while (i < sizeof(calls) / sizeof(*calls) && calls[i].number != number)
		i++;
	return i;
}

static void read_link(uint32_t pid, uint64_t fd, char target[128])
{
	procfs_link(target, 128, "%u/fd/%u", proc_living(pid), (unsigned)fd);
}

/* The kernel's function tells that it is a FIFO; to look at the file could take for ever, as where its server is gone. */
static bool opens_fifo(uint32_t pid, uint32_t tid)
{
	char place[64];

	return proc_wchan(pid, tid, place, sizeof(place)) &&
	       (!strncmp(place, "wait_for_partner", 16) || !strncmp(place, "fifo_open", 9));
}

/* What else an open() waits for. */
static char *add_partner(char *text, uint32_t pid, uint32_t tid, uint64_t how)
{
	char *longer;

	if (!opens_fifo(pid, tid))
		return text;
	longer = text_format("%s, until a process opens the FIFO for %s", text,
			     (how & O_ACCMODE) == O_RDONLY ? "writing" : "reading");
	free(text);
	return longer;
}

/* What could end it: the signals for which its process has handlers, those left out that it blocks meanwhile. */
static char *until_signal(uint32_t pid, uint32_t tid, const struct proc_call *call)
{
	uint64_t signals = call_signals(pid, tid, call);
	char *list = text_copy("");

	for (int number = 1; number <= 64; number++)
		if (signals >> (number - 1) & 1)
			list = text_join(list, " or ", text_signal(number));
	return *list ? text_join(text_copy(", until "), "",
				 text_join(list, "", text_copy(" comes"))) :
		       list;
}

/* A path may be shorter than what can be read at once, and end before an unreadable page. */
static void path_of(uint32_t pid, uint64_t at, char path[PATH_BYTES])
{
	long got = proc_read(pid, at, path, PATH_BYTES - 1);

	path[got > 0 ? got : 0] = '\0';
}

static char *path_text(uint32_t pid, const char *name, uint64_t at)
{
	char path[PATH_BYTES];

	path_of(pid, at, path);
	return text_format("%s(%s)", name, path);
}

char *call_text(uint32_t pid, uint32_t tid, const struct proc_call *call)
{
	size_t i = find_call(call->number);
	char target[128], *object;

	if (call->state != PROC_IN_CALL)
		return NULL;
	object = sysv_ipc_text(pid, call);
	if (object)
		return object;
	if (i == sizeof(calls) / sizeof(*calls))
		return text_format("system call %ld", call->number);
	if (calls[i].first == PID)
		return text_format("%s(%d)", calls[i].name, (int)call->arg[0]);
	if (calls[i].first == PATH || calls[i].first == PATH_AT) {
		bool at = calls[i].first == PATH_AT;

		return add_partner(path_text(pid, calls[i].name, call->arg[at]), pid, tid,
				   call->arg[at + 1]);
	}
	if (calls[i].first == NOTHING)
		return text_join(text_format("%s()", calls[i].name), "",
				 until_signal(pid, tid, call));
	read_link(pid, call->arg[0], target);
	return text_format("%s(fd %u%s%s)%s", calls[i].name, (unsigned)call->arg[0],
			   *target ? ": " : "", target,
			   call_is_on_closed(tid, call) ? ", which its process has closed" : "");
}

bool call_is_on_descriptor(const struct proc_call *call)
{
	size_t i = find_call(call->number);

	return i < sizeof(calls) / sizeof(*calls) && calls[i].first == DESCRIPTOR;
}

bool call_is_on_path(const struct proc_call *call)
{
	size_t i = find_call(call->number);

	return i < sizeof(calls) / sizeof(*calls) &&
	       (calls[i].first == PATH || calls[i].first == PATH_AT);
}

bool call_writes(const struct proc_call *call)
{
	switch (call->number) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_connect:
	case SYS_msgsnd:
	case SYS_mq_timedsend:
		return true;
	default:
		return false;
	}
}

bool call_opens_fifo(uint32_t pid, uint32_t tid, const struct proc_call *call)
{
	return call_is_on_path(call) && opens_fifo(pid, tid);
}

bool call_wants_reader(uint32_t pid, uint32_t tid, const struct proc_call *call)
{
	size_t i = find_call(call->number);

	return call_is_on_path(call) &&
	       (call->arg[calls[i].first == PATH_AT ? 2 : 1] & O_ACCMODE) != O_RDONLY &&
	       opens_fifo(pid, tid);
}

/* From local data only: its file system may have lost its server. The kernel notes each write to a FIFO in its file. */
static bool is_new_fifo(const char *path)
{
	struct statx file;

	return !statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_BASIC_STATS | STATX_BTIME, &file) &&
	       S_ISFIFO(file.stx_mode) && file.stx_mask & STATX_BTIME &&
	       file.stx_btime.tv_sec == file.stx_mtime.tv_sec &&
	       file.stx_btime.tv_nsec == file.stx_mtime.tv_nsec;
}

bool call_fifo_is_new(uint32_t pid, uint32_t tid, const struct proc_call *call)
{
	size_t i = find_call(call->number);
	char path[PATH_BYTES] = "", place[PATH_BYTES + 32];

	if (call_is_on_descriptor(call)) {
		snprintf(place, sizeof(place), "/proc/%u/fd/%d", tid, (int)call->arg[0]);
	} else if (call_opens_fifo(pid, tid, call)) {
		path_of(pid, call->arg[calls[i].first == PATH_AT], path);
		snprintf(place, sizeof(place), "/proc/%u/%s/%s", tid, *path == '/' ? "root" : "cwd",
			 path);
	} else {
		return false;
	}
	return is_new_fifo(place);
}

bool call_is_on_closed(uint32_t tid, const struct proc_call *call)
{
	switch (call->number) {
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_accept:
	case SYS_accept4:
		return descriptor_is_closed(tid, (int)call->arg[0]);
	default:
		return false;
	}
}

uint64_t call_signals(uint32_t pid, uint32_t tid, const struct proc_call *call)
{
	uint64_t mask = 0;

	switch (call->number) {
	case SYS_rt_sigtimedwait:
		return proc_peek(pid, call->arg[0], &mask, sizeof(mask)) ? mask : 0;
	case SYS_rt_sigsuspend:
		return proc_peek(pid, call->arg[0], &mask, sizeof(mask)) ?
			       proc_handlers(pid) & ~mask :
			       0;
	case SYS_pause:
		return proc_status_number(pid, tid, "SigBlk", 16, &mask) ?
			       proc_handlers(pid) & ~mask :
			       0;
	default:
		return 0;
	}
}

bool call_is_outside(uint32_t pid, const struct proc_call *call)
{
	size_t i = find_call(call->number);
	char target[128];

	if (call->number == SYS_futex || call->number == SYS_wait4 || call->number == SYS_waitid)
		return false;
	if (i == sizeof(calls) / sizeof(*calls) || calls[i].first != DESCRIPTOR)
		return true;
	read_link(pid, call->arg[0], target);
	return strncmp(target, "pipe:", 5) != 0;
}

bool call_is_loop(const struct proc_call *call)
{
	return system_call_is_epoll(call->number);
}

bool call_is_poll(const struct proc_call *call)
{
	return system_call_is_poll(call->number);
}

bool call_is_sleep(const struct proc_call *call)
{
	switch (call->number) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return true;
	case SYS_poll:
	case SYS_ppoll:
		return !call->arg[1] && call_has_limit(call);
	case SYS_select:
	case SYS_pselect6:
		return !call->arg[0] && call_has_limit(call);
	default:
		return false;
	}
}

bool call_awaits_signal(const struct proc_call *call)
{
	return call->number == SYS_rt_sigsuspend || call->number == SYS_rt_sigtimedwait ||
	       call->number == SYS_pause;
}

#define NO_TIMER_MS 1500000000 /* libev waits that long, 17 days, if no timer is ahead */

bool call_has_limit(const struct proc_call *call)
{
	switch (call->number) {
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return true;
	case SYS_futex:
		return call->arg[3];
	case SYS_poll:
		return (int32_t)call->arg[2] >= 0;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int32_t)call->arg[3] >= 0 && (int32_t)call->arg[3] < NO_TIMER_MS;
	case SYS_ppoll:
	case SYS_rt_sigtimedwait:
		return call->arg[2];
	case SYS_select:
	case SYS_pselect6:
		return call->arg[4];
	case SYS_semtimedop:
		return call->arg[3];
	case SYS_mq_timedreceive:
	case SYS_mq_timedsend:
		return call->arg[4];
	default:
		return false;
	}
}

#define SECONDS_MAX 10000000000u /* no limit is longer */

/* Both structures are a number of seconds and one of a part of a second. */
static uint64_t pointed_limit(uint32_t pid, uint64_t limit, uint64_t unit_ns)
{
	uint64_t parts[2];

	return limit && proc_peek(pid, limit, parts, sizeof(parts)) && parts[0] < SECONDS_MAX ?
		       parts[0] * 1000000000u + parts[1] * unit_ns :
		       0;
}

static uint64_t counted_limit(uint64_t argument)
{
	int32_t milliseconds = (int32_t)argument;

	return milliseconds > 0 && milliseconds < NO_TIMER_MS ? (uint64_t)milliseconds * 1000000u :
								0;
}

uint64_t call_limit_ns(uint32_t pid, const struct proc_call *call)
{
	switch (call->number) {
	case SYS_poll:
		return counted_limit(call->arg[2]);
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return counted_limit(call->arg[3]);
	case SYS_ppoll:
		return pointed_limit(pid, call->arg[2], 1);
	case SYS_pselect6:
		return pointed_limit(pid, call->arg[4], 1);
	case SYS_select:
		return pointed_limit(pid, call->arg[4], 1000);
	case SYS_nanosleep:
		return pointed_limit(pid, call->arg[0], 1);
	default:
		return 0;
	}
}

static uint64_t monotonic_of(uint64_t clock, uint64_t ns)
{
	if (clock == CLOCK_REALTIME)
		return ns - clock_ns(CLOCK_REALTIME) + clock_ns(CLOCK_MONOTONIC);
	return clock == CLOCK_MONOTONIC ? ns : 0;
}

static uint64_t futex_ends_ns(const struct proc_call *call, uint64_t limit_ns, uint64_t began_ns)
{
	unsigned operation = call->arg[1] & FUTEX_CMD_MASK;

	if (operation == FUTEX_WAIT)
		return began_ns + limit_ns;
	return monotonic_of(call->arg[1] & FUTEX_CLOCK_REALTIME || operation == FUTEX_LOCK_PI ?
				    CLOCK_REALTIME :
				    CLOCK_MONOTONIC,
			    limit_ns);
}

uint64_t call_ends_ns(uint32_t pid, const struct proc_call *call, uint64_t began_ns)
{
	uint64_t limit_ns;

	switch (call->number) {
	case SYS_futex:
		limit_ns = pointed_limit(pid, call->arg[3], 1);
		return limit_ns ? futex_ends_ns(call, limit_ns, began_ns) : 0;
	case SYS_clock_nanosleep:
		limit_ns = pointed_limit(pid, call->arg[2], 1);
		if (limit_ns && call->arg[1] & TIMER_ABSTIME)
			return monotonic_of(call->arg[0], limit_ns);
		break;
	default:
		limit_ns = call_limit_ns(pid, call);
	}
	return limit_ns ? began_ns + limit_ns : 0;
}
