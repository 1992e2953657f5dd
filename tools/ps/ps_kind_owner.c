/* SPDX-License-Identifier: Apache-2.0 */
/* Who has a lock that processes outside of the program may have, too: on a file, or in shared memory. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../shim/common/mutex_owner.h"
#include "../base/system_calls.h"
#include "../proc/descriptors.h"
#include "../proc/file_locks.h"
#include "../proc/namespaces.h"
#include "../proc/process/status.h"
#include "../reader/elsewhere.h"
#include "ps_kind.h"

/* ---- files ---- */

static bool awaits_file(const struct proc_call *call)
{
	return call->state == PROC_IN_CALL &&
	       (call->number == SYS_flock ||
		(call->number == SYS_fcntl &&
		 (call->arg[1] == F_SETLKW || call->arg[1] == F_OFD_SETLKW)));
}

/* A process that shares the open file which has the lock, the one that took it if it does; 0: unknown. */
static uint32_t sharer_of(struct kind_look *look, const struct pipe_id *id, uint32_t taker)
{
	const struct pipes *pipes = kind_pipes(look, true);
	const struct pipe_holder *holder;
	uint32_t at = 0, found = 0;

	while ((holder = pipes_next(pipes, id, PIPE_END_READ | PIPE_END_WRITE, &at)))
		if (pipe_same(&holder->id, id) && (!found || holder->pid == taker))
			found = holder->pid;
	return found;
}

static bool look_at_file(struct kind_look *look)
{
	const struct proc_call *call = &look->thread->call;
	struct descriptor descriptor;
	struct file_lock lock;
	struct pipe_id id;
	uint32_t owner;
	char name[PROC_COMMAND_BYTES];

	if (!awaits_file(call) || !descriptor_of(look->thread->tid, (int)call->arg[0], &descriptor))
		return false;
	id = pipe_file(look->thread->tid, (int)call->arg[0]);
	if (!id.kind || !file_lock_awaited(look->thread->pid, call, id.inode, &lock))
		return false;
	owner = lock.of_process ? lock.pid : sharer_of(look, &id, lock.pid);
	if (!owner || !proc_lives(owner))
		return false;
	proc_command(owner, name);
	kind_is(look, kind_of_other(look, owner),
		text_format("the lock on %s, held by process %u (%s)", descriptor.target, owner,
			    name));
	look->by = owner;
	return true;
}

/* ---- memory ---- */

/* The number of the thread that has the lock, in its own PID namespace; 0: none. */
static uint32_t owner_in_memory(const struct kind_look *look)
{
	uint32_t pid = look->thread->pid;
	struct __pthread_mutex_s mutex;
	struct __pthread_rwlock_arch_t rwlock;

	switch (look->wait->kind) {
	case MPSAN_LOCK_MUTEX:
		if (!proc_peek(pid, look->wait->lock, &mutex, sizeof(mutex)) || !mutex.__lock)
			return 0;
		return mutex_owner(mutex.__kind, (uint32_t)mutex.__lock, (uint32_t)mutex.__owner) &
		       MUTEX_TID_MASK;
	case MPSAN_LOCK_RWLOCK_READ:
	case MPSAN_LOCK_RWLOCK_WRITE:
		return proc_peek(pid, look->wait->lock, &rwlock, sizeof(rwlock)) ?
			       (uint32_t)rwlock.__cur_writer :
			       0;
	default:
		return 0;
	}
}

struct search {
	const struct proc_mapping *mapping; /* where the lock lies */
	bool nested; /* in a PID namespace below ours */
	uint32_t own_tid;
	uint32_t pid, tid; /* the process that is looked at, and its thread that was found */
	uint32_t found; /* its process */
};

static void see_thread(uint32_t tid, void *context)
{
	struct search *search = context;

	if (namespace_own_tid(search->pid, tid) == search->own_tid)
		search->tid = tid;
}

/* Only a process that has the memory can have taken the lock. */
static void see_process(uint32_t pid, void *context)
{
	struct search *search = context;

	if (search->found)
		return;
	search->pid = pid;
	if (search->nested && namespace_tids(pid, pid).count > 1)
		proc_threads(pid, see_thread, search);
	else if (!search->nested && proc_stat(pid, search->own_tid).state)
		search->tid = search->own_tid;
	if (search->tid && proc_maps(pid, search->mapping->device, search->mapping->inode) > 0)
		search->found = pid;
	else
		search->tid = 0;
}

/* Thousands may wait for the same lock. */
static void find_keeper(struct ps *ps, struct search *search)
{
	const struct proc_mapping *at = search->mapping;

	if (ps->keeper.at_ns != ps->snapshot->now_ns || ps->keeper.device != at->device ||
	    ps->keeper.inode != at->inode || ps->keeper.own_tid != search->own_tid) {
		proc_each(see_process, search);
		ps->keeper.at_ns = ps->snapshot->now_ns;
		ps->keeper.device = at->device;
		ps->keeper.inode = at->inode;
		ps->keeper.own_tid = search->own_tid;
		ps->keeper.pid = search->found;
		ps->keeper.tid = search->tid;
	}
	search->found = ps->keeper.pid;
	search->tid = ps->keeper.tid;
}

static bool look_at_memory(struct kind_look *look)
{
	const struct mpsan_process *row = &look->ps->reader->session.table[look->thread->slot];
	struct proc_mapping mapping;
	struct search search = {
		.mapping = &mapping, .nested = elsewhere_is(row), .own_tid = owner_in_memory(look)};
	char name[PROC_COMMAND_BYTES], *thread;

	if (!search.own_tid || !proc_mapping(look->thread->pid, look->wait->lock, &mapping) ||
	    !mapping.shared)
		return false;
	find_keeper(look->ps, &search);
	if (!search.found)
		return false;
	proc_command(search.found, name);
	thread = search.tid == search.found ? text_copy("") :
					      text_format("thread %u of ", search.tid);
	kind_is(look, kind_of_other(look, search.found),
		text_format("%s, held by %sprocess %u (%s)", look->found->waits.text ?: "", thread,
			    search.found, name));
	free(thread);
	look->by = search.found;
	return true;
}

bool kind_by_owner(struct kind_look *look)
{
	return look_at_file(look) || look_at_memory(look);
}
