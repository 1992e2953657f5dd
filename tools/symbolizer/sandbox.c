/* SPDX-License-Identifier: Apache-2.0 */
/* Limits, signals, descriptors and a seccomp filter: see sandbox.h. */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/system_calls.h"
#include "../proc/process/status.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define MIB (1ull << 20)
#define DATA_BYTES (1024 * MIB) /* what it may allocate */
#define ADDRESS_BYTES (64 * 1024 * MIB) /* and map: files are large */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* ---- limits ---- */

static void limit(__rlimit_resource_t what, rlim_t most)
{
	struct rlimit now;

	if (!getrlimit(what, &now) && most < now.rlim_max)
		setrlimit(what, &(struct rlimit){most, most});
}

static void limit_all(void)
{
	/* a sanitizer has mapped more than any machine has */
	limit(RLIMIT_AS, proc_memory(0, PROC_MAPPED) + ADDRESS_BYTES);
	limit(RLIMIT_DATA, proc_memory(0, PROC_DATA) + DATA_BYTES);
	limit(RLIMIT_CPU, SANDBOX_CPU_S);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
}

/* ---- descriptors and signals ---- */

static void keep_only(int fd)
{
	long most = sysconf(_SC_OPEN_MAX);

	dup2(fd, SANDBOX_FD);
	if (!filtered_call(SYS_close_range, SANDBOX_FD + 1, ~0u, 0, 0, 0))
		return;
	for (int other = SANDBOX_FD + 1; other < (most > 0 && most < 65536 ? most : 65536); other++)
		close(other);
}

/* It ends with its parent, not by what a terminal sends to both. SIGBUS stays: truncated files (guard.h). */
static void quiet_signals(void)
{
	static const int own[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGABRT, SIGXCPU};
	sigset_t blocked;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		sigdelset(&blocked, own[i]);
		if (own[i] != SIGBUS)
			signal(own[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* ---- the filter ---- */

#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define MAY(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ALLOW
/* With that argument equal to a value, or without any of those bits. */
#define MAY_IF(name, argument, value)                                                    \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(ARGUMENT(argument)), \
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), ALLOW, REFUSE
#define MAY_WITHOUT(name, argument, bits)                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD(ARGUMENT(argument)), \
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), ALLOW, REFUSE

static struct sock_filter filter[] = {
	LOAD(offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
	REFUSE,
	LOAD(offsetof(struct seccomp_data, nr)),
	MAY(read),
	MAY(pread64),
	MAY_IF(write, 0, SANDBOX_FD),
	MAY_WITHOUT(openat, 2, O_ACCMODE | O_CREAT | O_TRUNC),
	MAY_WITHOUT(mmap, 2, PROT_EXEC),
	MAY_WITHOUT(mprotect, 2, PROT_EXEC),
	MAY(close),
	MAY(fstat),
	MAY(newfstatat),
	MAY(statx),
	MAY(lseek),
	MAY(munmap),
	MAY(mremap),
	MAY(madvise),
	MAY(mincore), /* libunwind */
	MAY(pipe2), /* libunwind */
	MAY(brk),
	MAY(futex),
	MAY(getrandom),
	MAY(clock_gettime),
	MAY(sysinfo), /* qsort() */
	MAY(getpid),
	MAY(gettid),
	MAY_IF(fcntl, 1, F_GETFL),
	MAY(readlinkat),
	MAY(rt_sigreturn),
	MAY(rt_sigprocmask),
	MAY(exit),
	MAY(exit_group),
#ifdef __x86_64__
	MAY(readlink),
	MAY(stat),
	MAY(lstat),
#endif
	REFUSE,
};

static void filter_calls(void)
{
	struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	if (filtered_may(SYS_prctl) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

void sandbox_enter(int fd)
{
	quiet_signals();
	keep_only(fd);
	limit_all();
	filter_calls();
}
