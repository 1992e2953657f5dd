/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of calls that wait for children, or ask for their end without a wait. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "../intercept/hook.h"
#include "../lifecycle/life.h"
#include "../locks/wait_proof.h"
#include "../record/thread.h"
#include "../workers/proc_events.h"

/* Records a wait for a child by its PID; 0: for any of several. */
static const void *wait_begin(int64_t which, int options, uint64_t caller)
{
	const void *claimed = (const void *)(uintptr_t)(which > 0 ? which : 0);

	if (!(options & WNOHANG))
		hold_push_tag(MPSAN_TAG(claimed, MPSAN_WAIT_PROCESS) | MPSAN_TAG_WANTED |
				      prove_tags(),
			      caller);
	return claimed;
}

/* `found`: what it returned, 0 for a child that lives. */
static void wait_end(const void *claimed, int options, int64_t found, uint64_t caller)
{
	if (!(options & WNOHANG))
		hold_pop(claimed);
	else if (!found)
		thread_tried(claimed, MPSAN_WAIT_PROCESS, caller);
	else
		thread_stops_trying(claimed);
}

static pid_t note_wait(const void *claimed, int options, pid_t pid, int status, int *to,
		       uint64_t caller)
{
	wait_end(claimed, options, pid, caller);
	if (pid > 0) {
		life_ended((uint32_t)pid, status, true);
		proc_events_reaped((uint32_t)pid, status, to != NULL, caller);
		if (to)
			*to = status;
	}
	return pid;
}

EXPORT pid_t wait(int *to)
{
	ENTER(wait);
	int status = 0;
	const void *claimed = wait_begin(-1, 0, CALLER);
	pid_t pid = REAL(wait)(&status);

	return note_wait(claimed, 0, pid, status, to, CALLER);
}

EXPORT pid_t waitpid(pid_t which, int *to, int options)
{
	ENTER(waitpid);
	int status = 0;
	const void *claimed = wait_begin(which, options, CALLER);
	pid_t pid = REAL(waitpid)(which, &status, options);

	return note_wait(claimed, options, pid, status, to, CALLER);
}

EXPORT pid_t wait3(int *to, int options, struct rusage *usage)
{
	ENTER(wait3);
	int status = 0;
	const void *claimed = wait_begin(-1, options, CALLER);
	pid_t pid = REAL(wait3)(&status, options, usage);

	return note_wait(claimed, options, pid, status, to, CALLER);
}

EXPORT pid_t wait4(pid_t which, int *to, int options, struct rusage *usage)
{
	ENTER(wait4);
	int status = 0;
	const void *claimed = wait_begin(which, options, CALLER);
	pid_t pid = REAL(wait4)(which, &status, options, usage);

	return note_wait(claimed, options, pid, status, to, CALLER);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	ENTER(waitid);
	const void *claimed = wait_begin(type == P_PID ? (int64_t)id : -1, options, CALLER);
	int result = REAL(waitid)(type, id, info, options), status;
	int64_t found = result || !info ? -1 : info->si_pid;

	wait_end(claimed, options, found, CALLER);
	if (found > 0 && (options & WEXITED) && info->si_code <= CLD_DUMPED) {
		status = info->si_code == CLD_EXITED ? info->si_status << 8 :
						       info->si_status & 0x7f;
		life_ended((uint32_t)info->si_pid, status, !(options & WNOWAIT));
		proc_events_reaped((uint32_t)info->si_pid, status, true, CALLER);
	}
	return result;
}
