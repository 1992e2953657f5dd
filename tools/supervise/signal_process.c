/* SPDX-License-Identifier: Apache-2.0 */
/* Sends signals to processes, checking that the pid still means the same process. */
#include "signal_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../proc/proc.h"
#include "../reader/host.h"

/* The last number of a line "NSpid: 4711 12 1": the pid in its own namespace. 0: unknown. */
static uint32_t inner_pid(uint32_t pid)
{
	char path[32], line[256], *last;
	uint32_t inner = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		last = strrchr(line, '\t');
		inner = last ? (uint32_t)atoi(last + 1) : 0;
	}
	if (status)
		fclose(status);
	return inner;
}

static uint64_t namespace_of(uint32_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
	return stat(path, &st) ? 0 : st.st_ino;
}

struct search {
	const struct mpsan_process *process;
	uint32_t found; /* 0: none */
};

static bool is_it(uint32_t pid, const struct mpsan_process *process)
{
	return inner_pid(pid) == process->pid && namespace_of(pid) == process->pid_ns &&
	       session_runs_as(pid, process->birth_ns) == ALIVE;
}

static void summon_look(uint32_t pid, void *context)
{
	struct search *search = context;

	if (!search->found && is_it(pid, search->process))
		search->found = pid;
}

/* Its pid in our namespace. */
static uint32_t summon_find(const struct mpsan_process *process)
{
	struct search search = {.process = process};

	if (!process->pid_ns || process->pid_ns == host_pid_namespace())
		return process->pid;
	proc_each(summon_look, &search);
	return search.found;
}

static bool is_still(const struct session *session, uint32_t slot, uint32_t pid)
{
	const struct mpsan_process *process = &session->table[slot];

	return session_is_elsewhere(process) ? is_it(pid, process) :
					       session_liveness(session, slot) == ALIVE;
}

struct target {
	const struct session *session; /* NULL: not in a table */
	uint32_t slot;
	uint32_t pid;
	uint64_t start;
};

static bool summon_is_there(const struct target *target)
{
	struct proc_stat stat;

	if (target->session)
		return is_still(target->session, target->slot, target->pid);
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
		return summon_is_there(target);
#ifdef SYS_pidfd_open
	fd = (int)filtered_call(SYS_pidfd_open, target->pid, 0, 0, 0, 0);
#endif
	there = summon_is_there(target);
	if (there && (fd < 0 || filtered_call(SYS_pidfd_send_signal, fd, number, 0, 0, 0)))
		kill((pid_t)target->pid, number);
	if (fd >= 0)
		close(fd);
	return there;
}

bool summon(const struct session *session, uint32_t slot, int number)
{
	struct target target = {.session = session, .slot = slot};

	target.pid = session->here ? summon_find(&session->table[slot]) : 0;
	return target.pid && send(&target, number);
}

bool summon_process(uint32_t pid, uint64_t start, int number)
{
	struct target target = {.pid = pid, .start = start};

	return send(&target, number);
}
