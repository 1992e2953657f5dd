/* SPDX-License-Identifier: Apache-2.0 */
/* Finds trees of processes in /proc, and enters them into the table of a session. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../proc/files/user.h"
#include "../proc/namespaces.h"
#include "../proc/proc.h"
#include "../proc/process/status.h"
#include "../proc/procfs.h"
#include "../proc/root.h"
#include "../reader/elsewhere.h"
#include "../reader/host.h"
#include "../symbols/pyview.h"
#include "../waits/outside.h"
#include "job.h"

/* ---- all processes ---- */

static int target_compare(const void *one, const void *other)
{
	const struct target_process *a = one, *b = other;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

struct target_process *target_find(const struct target *target, uint32_t pid)
{
	struct target_process key = {.pid = pid};

	return target->there.count ? bsearch(&key, target->there.item, target->there.count,
					     sizeof(key), target_compare) :
				     NULL;
}

static void target_see(uint32_t pid, void *context)
{
	struct target *target = context;
	struct proc_stat stat = proc_stat(pid, pid);

	if (stat.state && !stat.kernel)
		*ARRAY_ADD(&target->there) =
			(struct target_process){.pid = pid,
						.parent = stat.parent,
						.start = stat.start,
						.stack = stat.stack,
						.ended = proc_stat_ended(&stat),
						.forked = stat.forked};
}

/* Whether it executed another program since: exec gives it another stack. */
static bool has_executed(const struct target_process *before, const struct target_process *now)
{
	return (before->forked && !now->forked && !now->ended) ||
	       (before->stack && now->stack && before->stack != now->stack);
}

/* `before`: the same process in the last list. */
static void take_over(struct target_process *now, const struct target_process *before)
{
	bool other = before->slot && has_executed(before, now);

	now->slot = other ? 0 : before->slot;
	now->replaced = other ? before->slot : before->replaced;
}

static void target_list(struct target *target)
{
	__typeof__(target->there) before = target->there;

	memset(&target->there, 0, sizeof(target->there));
	proc_each(target_see, target);
	if (target->there.count)
		qsort(target->there.item, target->there.count, sizeof(*target->there.item),
		      target_compare);
	for (uint32_t i = 0; i < before.count; i++) {
		struct target_process *process = target_find(target, before.item[i].pid);

		if (process && process->start == before.item[i].start)
			take_over(process, &before.item[i]);
	}
	free(before.item);
}

/* ---- trees ---- */

static void add_root(struct target *target, uint32_t pid)
{
	for (uint32_t i = 0; i < target->roots.count; i++)
		if (target->roots.item[i] == pid)
			return;
	*ARRAY_ADD(&target->roots) = pid;
}

bool target_add(struct target *target, uint32_t pid, bool whole)
{
	target_list(target);
	if (!target_find(target, pid) || target_find(target, pid)->ended)
		return false;
	add_root(target, whole ? job_root(target, pid) : pid);
	target->whole |= whole;
	return true;
}

static bool is_named(uint32_t pid, const char *name)
{
	char text[4096];
	size_t length = proc_arguments(pid, text, sizeof(text) - 1);

	text[length] = '\0';
	for (size_t i = 0; i + 1 < length; i++)
		if (!text[i])
			text[i] = ' ';
	return strstr(text, name) != NULL;
}

/* An ancestor that was given this very command, as timeout, sudo and sh -c are. */
static bool has_started_us(const struct target *target, uint32_t pid)
{
	return job_is_above_us(target, pid) && is_named(pid, "attach");
}

unsigned target_add_named(struct target *target, const char *name, bool whole)
{
	unsigned found = 0;

	target_list(target);
	for (uint32_t i = 0; i < target->there.count; i++) {
		uint32_t pid = target->there.item[i].pid;

		if (proc_is_self(pid) || !is_named(pid, name) || has_started_us(target, pid))
			continue;
		found++;
		add_root(target, whole ? job_root(target, pid) : pid);
	}
	target->whole |= whole;
	return found;
}

static bool is_root(const struct target *target, uint32_t pid)
{
	for (uint32_t i = 0; i < target->roots.count; i++)
		if (target->roots.item[i] == pid)
			return true;
	return false;
}

/* Whether it, or a process between it and that root, only serves this command: it is no part of the job. */
static bool is_ours(const struct target *target, uint32_t pid, uint32_t root)
{
	const struct target_process *process;

	if (!target->whole || !job_is_above_us(target, root))
		return false;
	for (unsigned i = 0; i < JOB_DEPTH && pid != root; i++) {
		process = target_find(target, pid);
		if (!process || job_serves_us(target, process))
			return process;
		pid = process->parent;
	}
	return false;
}

static bool is_member(const struct target *target, uint32_t pid)
{
	uint32_t from = pid;

	for (unsigned i = 0; i < JOB_DEPTH && pid && !proc_is_self(pid); i++) {
		const struct target_process *process = target_find(target, pid);

		if (is_root(target, pid) || (process && process->slot))
			return !is_ours(target, from, pid);
		pid = process ? process->parent : 0;
	}
	return false;
}

static bool may_trace(uint32_t pid)
{
	char text[2];

	return procfs_read(text, sizeof(text), "%u/syscall", pid);
}

uint32_t target_look(struct target *target)
{
	uint32_t count = 0;

	target_list(target);
	for (uint32_t i = 0; i < target->there.count; i++) {
		struct target_process *process = &target->there.item[i];

		process->member = is_member(target, process->pid);
		if (process->member && !process->ended)
			process->hidden = !may_trace(process->pid);
		count += process->member;
	}
	return count;
}

void target_finish(struct target *target)
{
	free(target->there.item);
	free(target->roots.item);
	*target = (struct target){0};
}

/* ---- the table ---- */

static uint32_t version_of(uint32_t pid)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)pid);

	return view ? pyview_version(view) : 0;
}

static bool has_name_of(uint32_t pid, uint32_t other)
{
	char name[PROC_COMMAND_BYTES], wanted[PROC_COMMAND_BYTES];

	return proc_command(pid, name) && proc_command(other, wanted) && !strcmp(name, wanted);
}

/* One that has ended was Python if it has the name of its parent or of a sibling that is. */
static uint32_t version_of_kin(const struct target *target, const struct session *session,
			       const struct target_process *process)
{
	for (uint32_t i = 0; i < target->there.count; i++) {
		const struct target_process *kin = &target->there.item[i];

		if (kin->slot && session->table[kin->slot - 1].python &&
		    (kin->pid == process->parent || kin->parent == process->parent) &&
		    has_name_of(process->pid, kin->pid))
			return session->table[kin->slot - 1].python;
	}
	return 0;
}

static uint32_t version_now(const struct target *target, const struct session *session,
			    const struct target_process *process)
{
	return process->ended ? version_of_kin(target, session, process) : version_of(process->pid);
}

/*
 * exec puts the stack at a random place: if it is the same, the child is a copy of its parent. A process that
 * has ended has none.
 */
static enum mpsan_how how_made(const struct target_process *process,
			       const struct target_process *parent)
{
	if (!parent)
		return MPSAN_HOW_ROOT;
	if (process->ended)
		return process->forked ? MPSAN_HOW_FORK : MPSAN_HOW_EXEC;
	return process->forked && process->stack && process->stack == parent->stack ?
		       MPSAN_HOW_FORK :
		       MPSAN_HOW_EXEC;
}

#define STACK_BYTES 16384u
#define NAME_BYTES 128u

/* In a child of multiprocessing, the outer frames of its first thread are those of its parent at the fork. */
static const char *frames_of_fork(const char *stack)
{
	const char *line = stack;

	while (*line) {
		size_t length = strcspn(line, "\n");
		const char *next = line + length + (line[length] == '\n'),
			   *tab = memchr(line, '\t', length);

		if (tab && tab - line >= 10 && !memcmp(tab - 10, "_bootstrap", 10) &&
		    memmem(line, length, "/multiprocessing/process.py", 27))
			return next;
		line = next;
	}
	return "";
}

static uint64_t put_frames(struct watchlog *log, uint32_t slot, struct pyview *view, uint32_t child)
{
	AUTO_FREE char *text = memory_get(STACK_BYTES);
	uint64_t position = 0;

	if (pyview_stack(view, outside_descriptor(child, child), text, STACK_BYTES) &&
	    *frames_of_fork(text))
		position = watchlog_text(log, slot, frames_of_fork(text));
	return position;
}

struct counted {
	uint32_t parent, child; /* PIDs */
	uint64_t start; /* of the child */
	uint32_t threads;
};

static void count_thread(uint32_t tid, void *context)
{
	struct counted *counted = context;

	counted->threads += proc_precedes(counted->parent, tid, counted->child, counted->start);
}

/* The threads of the parent that are older than the child. */
static uint32_t threads_before(const struct target_process *child)
{
	struct counted counted = {child->parent, child->pid, child->start, 0};

	proc_threads(child->parent, count_thread, &counted);
	return counted.threads;
}

/* The name that multiprocessing gave to a child. */
static void put_name(struct watchlog *log, uint32_t slot, uint32_t own_pid, struct pyview *view,
		     uint32_t pid)
{
	char text[NAME_BYTES];
	struct ev_process_name name = {0};

	if (!view || !pyview_process_name(view, outside_descriptor(pid, pid), text, sizeof(text)))
		return;
	name.name = watchlog_text(log, slot, text);
	watchlog_put(log, EV_process_name, slot, own_pid, &name, sizeof(name));
}

static uint64_t put_fork(struct watchlog *log, const struct mpsan_process *row, struct pyview *view,
			 const struct target_process *process)
{
	uint32_t slot = row->parent - 1;
	struct ev_fork fork = {
		.how = row->how,
		.threads = threads_before(process),
		.python = view ? put_frames(log, slot, view, process->pid) : 0,
	};

	return watchlog_put_at(log, EV_fork, slot, row->parent_pid, row->birth_ns, &fork,
			       sizeof(fork));
}

/* The table has the numbers that processes have for themselves, as locks and logs do. */
static uint32_t number(const struct session *session, struct watchlog *log,
		       const struct target_process *process, struct mpsan_process *row)
{
	uint32_t slot = (uint32_t)(row - session->table), own = 0;
	uint64_t pid_ns = namespace_of(process->pid, "pid");
	struct ev_seen_as seen = {.apart = root_is_apart(process->pid)};

	row->pid_ns = pid_ns ? pid_ns : host_pid_namespace();
	row->parent_pid = row->parent ? session->table[row->parent - 1].pid : process->parent;
	if (elsewhere_is(row))
		own = namespace_own_tid(process->pid, process->pid);
	if (own) {
		elsewhere_tell(session->elsewhere, slot, process->pid);
		seen.pid = process->pid;
	}
	if (own || seen.apart)
		watchlog_put(log, EV_seen_as, slot, own ? own : process->pid, &seen, sizeof(seen));
	return own ? own : process->pid;
}

/* A copy of its parent that has ended: nothing of its own can be read. */
static void inherit(struct mpsan_process *row, const struct mpsan_process *parent)
{
	row->python = parent->python;
	row->argv_bytes = parent->argv_bytes;
	memcpy(row->argv_kept, parent->argv_kept, sizeof(row->argv_kept));
}

static void enter(const struct target *target, struct session *session, struct watchlog *log,
		  struct target_process *process)
{
	struct mpsan_process *row = &session->table[session->head->claimed];
	const struct target_process *parent = target_find(target, process->parent);
	AUTO_FREE struct pyview *view = NULL;
	struct proc_user user;
	uint32_t pid;

	row->parent = parent ? parent->slot : 0;
	row->how = how_made(process, row->parent ? parent : NULL);
	row->flags = row->how == MPSAN_HOW_EXEC ? MPSAN_PROCESS_EXEC : 0;
	row->birth_ns = host_start_ns(process->start);
	row->uid = proc_user(process->pid, &user) ? user.uid : PROC_NOBODY;
	if (process->ended && row->birth_ns < session->head->start_ns)
		row->end_ns = session->head->start_ns; /* at the latest */
	row->python = version_now(target, session, process);
	row->argv_bytes =
		(uint32_t)proc_arguments(process->pid, row->argv_kept, sizeof(row->argv_kept));
	if (process->ended && row->how == MPSAN_HOW_FORK)
		inherit(row, &session->table[row->parent - 1]);
	pid = number(session, log, process, row);
	view = row->python && !process->ended ? pyview_open((pid_t)process->pid) : NULL;
	if (row->how == MPSAN_HOW_FORK)
		row->fork_pos = put_fork(log, row, view, process);
	put_name(log, (uint32_t)(row - session->table), pid, view, process->pid);
	__atomic_store_n(&row->pid, pid, __ATOMIC_RELEASE);
	process->slot = (uint32_t)++session->head->claimed;
	if (process->replaced)
		session->table[process->replaced - 1].flags |= MPSAN_PROCESS_REPLACED;
	process->replaced = 0;
}

static int compare_starts(const void *one, const void *other)
{
	const struct target_process *a = *(struct target_process *const *)one,
				    *b = *(struct target_process *const *)other;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return proc_number_precedes(a->pid, b->pid) ? -1 : a->pid != b->pid;
}

uint32_t target_enter(struct target *target, struct session *session, struct watchlog *log)
{
	ARRAY(struct target_process *) fresh = {0};
	uint32_t refused = 0;

	for (uint32_t i = 0; i < target->there.count; i++) {
		struct target_process *process = &target->there.item[i];

		if (process->member && !process->slot)
			*ARRAY_ADD(&fresh) = process;
		else if (process->slot && !session->table[process->slot - 1].python)
			session->table[process->slot - 1].python =
				version_now(target, session, process);
	}
	if (fresh.count)
		qsort(fresh.item, fresh.count, sizeof(*fresh.item), compare_starts);
	for (uint32_t i = 0; i < fresh.count; i++)
		if (session->head->claimed < session->head->slots)
			enter(target, session, log, fresh.item[i]);
		else
			refused++;
	free(fresh.item);
	return refused;
}
