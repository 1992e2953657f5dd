/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records pidfd_getfd and why it failed. What /proc says about the other process is read
 * immediately: it may end.
 */
#include "cuda_fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../intercept/pidfd.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "cuda.h"

static uint64_t cause_of_refusal(uint32_t pid)
{
	char path[48], text[16] = "", *end = path + sizeof(path), *at;
	struct stat status;
	bool seen;
	long sent;

	at = text_put(path, end, "/proc/");
	text_put_number(at, end, pid, 10);
	sent = pid ? SYS2(SYS_kill, pid, 0) : -ESRCH;
	if (sent == -ESRCH)
		return MPSAN_CAUSE_GONE;
	seen = SYS4(SYS_newfstatat, AT_FDCWD, path, &status, 0) >= 0; /* /proc may hide it */
	if (seen ? status.st_uid != (uint32_t)SYS1(SYS_geteuid, 0) : sent == -EPERM)
		return MPSAN_CAUSE_USER;
	if (sys_read_file("/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text)) > 0 &&
	    text[0] > '0')
		return MPSAN_CAUSE_YAMA;
	return MPSAN_CAUSE_CAPABILITY;
}

static uint64_t cause_of(int error, uint32_t pid)
{
	switch (error) {
	case EPERM:
		return cause_of_refusal(pid);
	case EBADF:
		return pid ? MPSAN_CAUSE_CLOSED : MPSAN_CAUSE_GONE;
	case ESRCH:
		return MPSAN_CAUSE_GONE;
	default:
		return MPSAN_CAUSE_UNKNOWN;
	}
}

void cuda_fetch_refused(int error, uint32_t pid, uint32_t memory, uint64_t address, uint64_t caller)
{
	EMIT(ipc_refused, .function = log_text("pidfd_getfd"), .result = (uint64_t)error,
	     .cause = cause_of(error, pid), .memory = memory, .address = address, .other = pid,
	     .caller = caller, .stack = stack_own(), .python = stack_python(0));
}

void cuda_fetched(int pidfd, int number, int64_t fd, int error, uint64_t caller)
{
	uint32_t pid;

	if (!life_may_state())
		return;
	GUARDED {
		pid = pidfd_process(pidfd);
		if (fd >= 0)
			cuda_fd_received((int)fd, pid, number);
		else
			cuda_fetch_refused(error, pid, MPSAN_MEMORY_VMM, 0, caller);
	}
}
