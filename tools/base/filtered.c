/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which system calls a seccomp filter forbids: forked children try them one by one. */
#include "filtered.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system_calls.h"
#include "util.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

enum need { NEEDED, SPARED, LIBRARY };
static const struct {
	const char *name;
	long number;
	enum need need;
} calls[] = {
#define CALL(name, unknown) {#name, SYS_##name, LIBRARY},
#include "../../include/mpsan_calls.def"
#undef CALL
#define TOOL_CALL(name, need) {#name, SYS_##name, need},
#include "calls.def"
#undef TOOL_CALL
};
#define CALLS (sizeof(calls) / sizeof(*calls))

static struct {
	bool tried;
	bool is_there;
	unsigned long count; /* 0: unknown */
	bool deadly[CALLS];
} filter;

static void read_status(void)
{
	AUTO_CLOSE FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int mode = 0;

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "Seccomp: %d", &mode);
		sscanf(line, "Seccomp_filters: %lu", &filter.count);
	}
	if (!file)
		mode = prctl(PR_GET_SECCOMP); /* the only other source */
	filter.is_there = mode != 0;
}

/*
 * Makes the call with arguments that make it fail or do nothing: a filter decides before the kernel
 * looks at them.
 */
static void try_one(long number)
{
	if (number != SYS_vfork) /* ppoll() of no descriptors would block: -1 is no count */
		syscall(number, -1l, number == SYS_ppoll ? -1l : 0l, 0l, 0l, 0l, 0l);
	else if (vfork() == 0)
		_exit(0);
}

static void try_from(volatile uint32_t *at)
{
	struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	for (; *at < CALLS; ++*at)
		try_one(calls[*at].number);
	_exit(0);
}

/*
 * A child tries calls until one kills it; the next child starts with the call after that.
 * CLONE_VFORK waits for the child's end without a further system call.
 */
const char *filtered_try(void)
{
	volatile uint32_t *at;
	const char *missed = NULL;

	filter.tried = true;
	read_status();
	if (!filter.is_there)
		return NULL;
	at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return "mmap";
	for (*at = 0; *at < CALLS; ++*at) {
		long child = syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);

		if (child == 0)
			try_from(at);
		if (child < 0)
			missed = "clone";
		if (missed || *at >= CALLS)
			break;
		filter.deadly[*at] = true;
		if (calls[*at].need == NEEDED)
			missed = calls[*at].name;
	}
	while (filtered_may(SYS_wait4) && waitpid(-1, NULL, 0) > 0)
		;
	munmap((void *)at, sizeof(*at));
	return missed;
}

bool filtered_may(long number)
{
	if (!filter.tried)
		filtered_try();
	for (size_t i = 0; filter.is_there && i < CALLS; i++)
		if (calls[i].number == number && filter.deadly[i])
			return false;
	return true;
}

long filtered_call(long number, long a, long b, long c, long d, long e)
{
	if (filtered_may(number))
		return syscall(number, a, b, c, d, e);
	errno = ENOSYS;
	return -1;
}

int filtered_socket(int family, int type, int protocol)
{
	if (filtered_may(SYS_socket) && filtered_may(SYS_sendto) && filtered_may(SYS_recvfrom))
		return socket(family, type | SOCK_CLOEXEC, protocol);
	errno = ENOSYS;
	return -1;
}

char *filtered_names(void)
{
	char *names = text_copy("");

	for (size_t i = 0; filter.is_there && i < CALLS; i++) {
		bool again = false;

		for (size_t j = 0; j < i; j++)
			again |= calls[j].number == calls[i].number;
		if (filter.deadly[i] && !again)
			names = text_join(names, ", ", text_copy(calls[i].name));
	}
	return names;
}

char *filtered_for_library(void)
{
	uint64_t mask = 0;

	if (!filter.is_there)
		return NULL;
	for (size_t i = 0; i < CALLS && calls[i].need == LIBRARY; i++)
		mask |= filter.deadly[i] ? 0 : 1ull << i;
	return text_format("calls=%llx.%lu", (unsigned long long)mask, filter.count);
}
