/* SPDX-License-Identifier: Apache-2.0 */
/* Sends signals to processes, checking that the pid still means the same process. */
#include "signal_process.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../proc/proc.h"

struct target {
	const struct session *session; /* NULL: not in a table */
	uint32_t slot;
	uint32_t pid;
	uint64_t start;
};

static bool target_is_there(const struct target *target)
{
	struct proc_stat stat;

	if (target->session)
		return session_liveness(target->session, target->slot) == ALIVE;
	stat = proc_stat(target->pid, target->pid);
	return stat.state && stat.start == target->start && !proc_stat_ended(&stat) &&
	       !kill((pid_t)target->pid, 0);
}

/* Checks the process again through a pidfd: a pid may be reused, a pidfd may not. */
static bool send(const struct target *target, int number)
{
	bool there;
	int fd = -1;

	if (!number)
		return target_is_there(target);
#ifdef SYS_pidfd_open
	fd = (int)filtered_call(SYS_pidfd_open, target->pid, 0, 0, 0, 0);
#endif
	there = target_is_there(target);
	if (there && (fd < 0 || filtered_call(SYS_pidfd_send_signal, fd, number, 0, 0, 0)))
		kill((pid_t)target->pid, number);
	if (fd >= 0)
		close(fd);
	return there;
}

bool signal_send(const struct session *session, uint32_t slot, int number)
{
	struct target target = {.session = session, .slot = slot};

	target.pid = session->here ? session_pid(session, slot) : 0;
	return target.pid && send(&target, number);
}

bool signal_send_process(uint32_t pid, uint64_t start, int number)
{
	struct target target = {.pid = pid, .start = start};

	return send(&target, number);
}
