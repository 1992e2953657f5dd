/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hook of syscall(2): calls that fork, wait for a futex, install a filter, send a signal, or take a
 * descriptor from another process, by which GPU memory is shared.
 */
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../abi/glibc.h"
#include "../cuda/cuda.h"
#include "../cuda/cuda_fetch.h"
#include "../intercept/hook.h"
#include "../lifecycle/fork.h"
#include "../locks/wait_proof.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "../resources/fault.h"
#include "../resources/segment_call.h"
#include "../workers/proc_events.h"
#include "process.h"

/* The flags of a raw clone; 0: another call. clone3 has them first in its struct clone_args, and the stack sixth. */
static uint64_t clone_flags(const uint64_t *a)
{
	const uint64_t *clone3 = (const uint64_t *)a[1];

	return a[0] == SYS_clone ? a[1] : a[0] == SYS_clone3 && clone3 ? clone3[0] : 0;
}

/* Whether a raw system call forks this process and returns in the child on the same stack. */
static bool copies_process(const uint64_t *a)
{
	bool apart = !(clone_flags(a) & (CLONE_VM | CLONE_SETTLS));

	switch (a[0]) {
#ifdef SYS_fork
	case SYS_fork:
		return true;
#endif
	case SYS_clone:
		return apart && !a[2];
	case SYS_clone3:
		return apart && a[1] && !((const uint64_t *)a[1])[5];
	default:
		return false;
	}
}

static bool sets_alarm(uint64_t number)
{
#ifdef SYS_alarm
	if (number == SYS_alarm)
		return true;
#endif
	return number == SYS_setitimer;
}

static bool filters_calls(const uint64_t *a)
{
	return (a[0] == SYS_prctl && a[1] == PR_SET_SECCOMP) ||
	       (a[0] == SYS_seccomp &&
		(a[1] == SECCOMP_SET_MODE_STRICT || a[1] == SECCOMP_SET_MODE_FILTER));
}

/*
 * Whether it waits for a futex without a time limit: the locks of Rust, Abseil and C++20 do so
 * directly.
 */
static bool waits_for_futex(const uint64_t *a)
{
	int command = (int)a[2] & FUTEX_CMD_MASK;

	return a[0] == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

static uint64_t wait_for_futex(const struct pass_regs *regs)
{
	const uint64_t *a = regs->arg;
	const void *word = (const void *)a[1];
	uint64_t wait = 0;
	long result;

	if (a[4])
		hold_push_timed(word, MPSAN_WAIT_FUTEX, regs->back);
	else
		wait = prove_futex(word, (uint32_t)a[3], regs->back);
	result = REAL(syscall)(SYS_futex, a[1], a[2], a[3], a[4], a[5], pass_arg(regs, 6));
	if (!result) /* it was woken */
		lock_hint_learn(word, MPSAN_LF_HANDOFF);
	hold_pop(word);
	return (uint64_t)prove_end(wait, result);
}

static uint64_t fetch_descriptor(const struct pass_regs *regs)
{
	const uint64_t *a = regs->arg;
	long fd = REAL(syscall)(SYS_pidfd_getfd, a[1], a[2], a[3]);

	if (cuda.initialised)
		cuda_fetched((int)a[1], (int)a[2], fd, errno, regs->back);
	segment_fetched((int)a[1], (int)fd, regs->back);
	return (uint64_t)fd;
}

/* rt_sigaction without libc's sigaction. */
static uint64_t change_action(const struct pass_regs *regs)
{
	const uint64_t *a = regs->arg;
	long result = REAL(syscall)(SYS_rt_sigaction, a[1], a[2], a[3], a[4]);

	if (result == 0)
		fault_asked_raw((int)a[1], a[2] != 0, (void *)a[3]);
	return (uint64_t)result;
}

static bool sends_signal(const uint64_t *a)
{
	return a[0] == SYS_kill || a[0] == SYS_pidfd_send_signal;
}

static uint64_t send_signal(const struct pass_regs *regs)
{
	const uint64_t *a = regs->arg;
	int number = (int)a[2];
	int64_t pid = a[0] == SYS_kill ? (int32_t)a[1] : proc_events_target((int)a[1], number);
	uint64_t stated = proc_events_kills(pid, number, regs->back);
	long result = REAL(syscall)((long)a[0], a[1], a[2], a[3], a[4]);

	if (result)
		proc_events_kill_failed(stated);
	return (uint64_t)result;
}

/* Installs a filter by seccomp, or by prctl. */
static uint64_t set_filter(const struct pass_regs *regs)
{
	const uint64_t *a = regs->arg;
	bool strict = a[0] == SYS_prctl ? a[2] == SECCOMP_MODE_STRICT :
					  a[1] == SECCOMP_SET_MODE_STRICT;
	struct seccomp_coming coming;

	fault_end();
	coming = seccomp_comes(strict ? NULL : (const void *)a[3]);
	return process_filtered(&coming, REAL(syscall)((long)a[0], a[1], a[2], a[3], a[4], a[5],
						       pass_arg(regs, 6)));
}

FORKED PASS(syscall)
{
	ENTER(syscall);
	const uint64_t *a = regs->arg;

	if (UNLIKELY(a[0] == SYS_pidfd_getfd)) {
		regs->result = fetch_descriptor(regs);
		return NULL;
	}
	if (waits_for_futex(a)) {
		regs->result = wait_for_futex(regs);
		return NULL;
	}
	if (UNLIKELY(a[0] == SYS_rt_sigaction) && fault_may_watch((int)a[1])) {
		regs->result = change_action(regs);
		return NULL;
	}
	if (UNLIKELY(sets_alarm(a[0]))) {
		regs->result = (uint64_t)REAL(syscall)((long)a[0], a[1], a[2], a[3]);
		life_alarm_set();
		return NULL;
	}
	if (UNLIKELY(a[0] == SYS_prctl && a[1] == PR_SET_PDEATHSIG))
		process_follows(a[2]);
	if (UNLIKELY(sends_signal(a))) {
		regs->result = send_signal(regs);
		return NULL;
	}
	if (UNLIKELY(filters_calls(a))) {
		regs->result = set_filter(regs);
		return NULL;
	}
	if (UNLIKELY(clone_flags(a) & CLONE_VM)) /* a thread, or a process in this memory */
		sys_threaded = true;
	if (LIKELY(!copies_process(a)))
		return (void *)REAL(syscall);
	fork_enter(MPSAN_HOW_SYSCALL, false);
	regs->result = (uint64_t)(int64_t)fork_leave(
		(pid_t)REAL(syscall)((long)a[0], a[1], a[2], a[3], a[4], a[5], pass_arg(regs, 6)));
	return NULL;
}
