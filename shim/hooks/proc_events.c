/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of signals that are sent, aborts, CPU affinities and sessions. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../abi/glibc.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../workers/aborts.h"
#include "../workers/proc_events.h"

/*
 * Recorded before the call, unless the signal ends the caller itself: a process that waits for the
 * target may see its end before the call returns.
 */
#define KILLS(name, whom, parameters, arguments)                           \
	EXPORT int name parameters                                         \
	{                                                                  \
		ENTER(name);                                               \
		uint64_t stated = proc_events_kills(whom, signal, CALLER); \
		int result = REAL(name) arguments;                         \
                                                                           \
		if (UNLIKELY(result))                                      \
			proc_events_kill_failed(stated);                   \
		return result;                                             \
	}
/* clang-format off */
/*
 * pidfd_send_signal: since glibc 2.36; earlier, and in Python, it is called by its number
 * (syscall.c).
 */
KILLS(kill, pid, (pid_t pid, int signal), (pid, signal))
KILLS(killpg, -(int64_t)group, (pid_t group, int signal), (group, signal))
KILLS(sigqueue, pid, (pid_t pid, int signal, union sigval value), (pid, signal, value))
KILLS(pidfd_send_signal, proc_events_target(pidfd, signal), (int pidfd, int signal, siginfo_t *info, unsigned flags), (pidfd, signal, info, flags))
/* clang-format on */

PASS(raise)
{
	ENTER(raise);
	proc_events_raised((int)regs->arg[0], regs->back);
	return (void *)REAL(raise);
}

PASS(abort)
{
	ENTER(abort);
	aborts_called(regs->back);
	return (void *)REAL(abort);
}

/* libc calls its own abort next. */
PASS(__assert_fail)
{
	ENTER(__assert_fail);
	struct failed_assertion failed = {.expression = (const char *)regs->arg[0],
					  .file = (const char *)regs->arg[1],
					  .line = (uint32_t)regs->arg[2],
					  .function = (const char *)regs->arg[3]};

	aborts_assertion(&failed, regs->back);
	return (void *)REAL(__assert_fail);
}

EXPORT int sched_setaffinity(pid_t tid, size_t bytes, const cpu_set_t *set)
{
	ENTER(sched_setaffinity);
	uint64_t before = proc_events_processors(tid);
	int result = REAL(sched_setaffinity)(tid, bytes, set);

	if (!result)
		proc_events_bound(tid, before, CALLER);
	return result;
}

/* The affinity of another thread is not recorded: its TID is not known here. */
EXPORT int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
	ENTER(pthread_setaffinity_np);
	bool own = (uint64_t)thread == sys_pthread();
	uint64_t before = own ? proc_events_processors(0) : 0;
	int result = REAL(pthread_setaffinity_np)(thread, bytes, set);

	if (own && !result)
		proc_events_bound(0, before, CALLER);
	return result;
}

EXPORT pid_t setsid(void)
{
	ENTER(setsid);
	bool was = proc_events_flag(MPSAN_PROCESS_SESSION);
	pid_t session = REAL(setsid)();

	if (session < 0 && !was)
		proc_events_unflag(MPSAN_PROCESS_SESSION);
	return session;
}
