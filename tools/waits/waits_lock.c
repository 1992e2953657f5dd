/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads locks in a process's memory, and determines their owners. Layouts: shim/locks/claim.c.
 * Neighbour: waits_look.h.
 */
#include <pthread.h>
#include <semaphore.h>

#include "../../shim/common/mutex_owner.h"
#include "../proc/namespaces.h"
#include "../proc/procfs.h"
#include "../reader/hidepid.h"
#include "waits_look.h"

/* ---- locks with an owner in memory ---- */

/* The process of a thread that has ended: its own, or one that ended with its only thread. */
static uint32_t slot_of_gone(const struct look *look, uint32_t tid, bool shared)
{
	const struct reader *reader = look->snapshot->reader;

	if (!shared)
		return look->thread->slot;
	READER_EACH_SLOT(reader, slot)
		if (reader->session.table[slot].pid == tid && reader->processes[slot].gone &&
		    reader->session.table[slot].pid_ns == look_process(look)->pid_ns)
			return slot;
	return SNAPSHOT_NONE;
}

static void owner_is_gone(struct look *look, uint32_t tid, bool shared)
{
	uint32_t slot = slot_of_gone(look, tid, shared);
	struct mpsan_hold hold;

	look->wait->end = WAIT_NOBODY;
	look->wait->gone = tid;
	look->wait->flags |= MPSAN_LF_OWNER_DEAD;
	if (slot == SNAPSHOT_NONE)
		return;
	look->wait->gone_slot = slot + 1;
	if (threads_record_holds(threads_record(look->snapshot->reader, slot, tid),
				 look->wait->lock, &hold))
		look->wait->taken = hold.caller;
}

/* A process-shared lock may be owned by a thread of any process, even an unwatched one. */
static uint32_t find_owner(const struct look *look, uint32_t tid, bool shared)
{
	uint32_t owner = snapshot_find(look->snapshot, look->thread->slot, tid);

	return owner == SNAPSHOT_NONE && shared ?
		       snapshot_find_tid(look->snapshot, look->thread, tid) :
		       owner;
}

struct living {
	uint32_t own_tid;
	uint32_t pid; /* whose threads are looked at */
	uint64_t space; /* the PID namespace of the waiter */
	const struct snapshot_object *object; /* the memory of a lock that is shared */
	bool found;
};

static void see_living(uint32_t tid, void *context)
{
	struct living *living = context;
	uint32_t own = namespace_own_tid(living->pid, tid);
	struct proc_stat stat = proc_stat(living->pid, tid);

	living->found |= (!own || own == living->own_tid) && !proc_stat_ended(&stat);
}

/* A number counts in the waiter's PID namespace; and in any other, of a process that has the memory. */
static void see_process(uint32_t pid, void *context)
{
	struct living *living = context;
	uint64_t space;

	if (living->found || namespace_tids(pid, pid).count == 1)
		return;
	space = namespace_of(pid, "pid");
	if (space && space != living->space &&
	    !proc_maps(pid, living->object->device, living->object->inode))
		return;
	living->pid = pid;
	proc_threads(pid, see_living, living);
}

/* Whether no living thread, of any process, has that number in the waiter's PID namespace. */
static bool nobody_has(const struct look *look, uint32_t tid)
{
	struct waits *waits = look->waits;
	struct living living = {.own_tid = tid,
				.space = namespace_of(look->thread->pid, "pid"),
				.object = &look->thread->object};
	const struct waits_gone now = {look->snapshot->now_ns, living.space, tid, false};

	/* a core file does not tell of other processes */
	if (!living.space || procfs_source() || hidepid_any(look->snapshot->reader) ||
	    !wakers_find_memory(look->thread, look->wait->lock))
		return false;
	if (waits->gone.at_ns == now.at_ns && waits->gone.space == now.space &&
	    waits->gone.tid == tid)
		return waits->gone.is;
	/* a thread of our own namespace that has the memory */
	living.found = proc_thread_alive(tid, tid) &&
		       proc_maps(tid, living.object->device, living.object->inode);
	proc_each(see_process, &living);
	waits->gone = now;
	waits->gone.is = !living.found;
	return waits->gone.is;
}

/* In another PID namespace it has another number there. */
static bool is_gone(const struct look *look, uint32_t tid, bool shared)
{
	struct living living = {.own_tid = tid, .pid = look->thread->pid};

	if (!elsewhere_is(look_process(look)))
		return !proc_thread_alive(shared ? tid : look->thread->pid, tid);
	if (shared)
		return slot_of_gone(look, tid, shared) != SNAPSHOT_NONE || nobody_has(look, tid);
	return proc_threads(look->thread->pid, see_living, &living) && !living.found;
}

static void ends_by_tid(struct look *look, uint32_t tid, bool shared)
{
	uint32_t owner = find_owner(look, tid, shared);

	if (owner != SNAPSHOT_NONE)
		look_add_owner(look, owner);
	else if (is_gone(look, tid, shared))
		owner_is_gone(look, tid, shared);
}

/*
 * Of a robust mutex: when its owner ends, the kernel passes it on. A private one whose owner is no thread of
 * this process is a copy that a fork has made, of which the kernel knows nothing.
 */
static void ends_by_living(struct look *look, uint32_t tid, bool shared)
{
	look->wait->flags |= MPSAN_LF_ROBUST;
	if (!shared) {
		ends_by_tid(look, tid, false);
		return;
	}
	tid = find_owner(look, tid, true);
	if (tid != SNAPSHOT_NONE)
		look_add_owner(look, tid);
}

/* glibc says of every robust mutex that it is process-shared: the memory in which it lies tells. */
static bool is_mutex_shared(const struct look *look, uint64_t address, int kind)
{
	if (!(kind & MUTEX_KIND_SHARED))
		return false;
	return !(kind & MUTEX_KIND_ROBUST) || !wakers_find_memory(look->thread, address) ||
	       look->thread->object.is_shared;
}

/*
 * Of libc's own locks only the recursive ones are mutexes. A stream's lock names its owner by an address,
 * and behind others lies something else.
 */
bool classify_own_mutex(struct look *look, uint64_t address)
{
	struct __pthread_mutex_s mutex;

	return proc_peek(look->thread->pid, address, &mutex, sizeof(mutex)) &&
	       mutex.__kind == PTHREAD_MUTEX_RECURSIVE && mutex.__nusers == 1 &&
	       classify_mutex(look, address);
}

/* False: no owned mutex is there. */
bool classify_mutex(struct look *look, uint64_t address)
{
	struct __pthread_mutex_s mutex;
	uint32_t owner;
	bool shared;

	if (!proc_peek(look->thread->pid, address, &mutex, sizeof(mutex)) || !mutex.__lock)
		return false;
	owner = mutex_owner(mutex.__kind, (uint32_t)mutex.__lock, (uint32_t)mutex.__owner);
	shared = is_mutex_shared(look, address, mutex.__kind);
	if (!owner || owner > MUTEX_TID_MASK)
		return false;
	look->wait->kind = MPSAN_LOCK_MUTEX;
	look->wait->lock = address;
	look->wait->flags |= MPSAN_LF_VERIFIED | (shared ? MPSAN_LF_SHARED : 0);
	if (mutex.__kind & MUTEX_KIND_ROBUST)
		ends_by_living(look, owner, shared);
	else
		ends_by_tid(look, owner, shared);
	return true;
}

/*
 * How often a thread has the lock for reading, by its claims. While it waits for this lock its newest
 * claim is the wait, whether or not it was known before the call that it would be one.
 */
static unsigned reads_of(const struct snapshot_thread *thread, uint64_t address)
{
	const struct mpsan_thread *record = thread->record;
	uint32_t used = record && record->holds_used <= MPSAN_HOLDS ? record->holds_used : 0;
	unsigned reads = 0;

	if (used && look_lies_in(thread->call.arg[0], address, sizeof(pthread_rwlock_t)))
		used--;
	for (uint32_t i = 0; i < used; i++)
		reads += record->hold[i].tag == MPSAN_TAG(address, MPSAN_LOCK_RWLOCK_READ);
	return reads;
}

/* Readers are not named in memory: if claims account for all of them, all must release it. */
static void judge_readers(struct look *look, uint64_t address, unsigned readers)
{
	const struct snapshot *snapshot = look->snapshot;
	unsigned reads = 0;

	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		unsigned more = snapshot->threads.item[i].slot == look->thread->slot ?
					reads_of(&snapshot->threads.item[i], address) :
					0;

		reads += more;
		if (more)
			look_add(look, i);
	}
	if (reads == readers)
		look->wait->end = WAIT_OWNERS;
	else
		look->wait->count = 0;
}

/* in __readers: a writer waits for readers, or has the lock */
#define RWLOCK_WRITER 2u

/* If writers are preferred, a reader waits for the writer that waits for the current readers. */
static void judge_writers(struct look *look, uint64_t address, unsigned readers)
{
	const struct snapshot *snapshot = look->snapshot;

	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		uint64_t tag = snapshot_wanted(&snapshot->threads.item[i]).tag;

		if (snapshot->threads.item[i].slot == look->thread->slot &&
		    MPSAN_TAG_ADDRESS(tag) == address &&
		    MPSAN_TAG_KIND(tag) == MPSAN_LOCK_RWLOCK_WRITE)
			look_add(look, i);
	}
	if (readers & RWLOCK_WRITER && look->wait->count)
		look->wait->end = WAIT_OWNERS;
}

/* Where its owners are not known, any thread of the process may be one. */
void classify_rwlock(struct look *look, uint64_t address)
{
	struct __pthread_rwlock_arch_t lock;

	if (!proc_peek(look->thread->pid, address, &lock, sizeof(lock)))
		return;
	look->wait->flags |= MPSAN_LF_VERIFIED | (lock.__shared ? MPSAN_LF_SHARED : 0);
	if (lock.__cur_writer)
		ends_by_tid(look, (uint32_t)lock.__cur_writer, lock.__shared);
	else if (lock.__shared)
		return;
	else if (look->wait->kind == MPSAN_LOCK_RWLOCK_WRITE)
		judge_readers(look, address, lock.__readers >> 3);
	else
		judge_writers(look, address, lock.__readers);
	if (!lock.__cur_writer && look->wait->end != WAIT_OWNERS) {
		look->wait->count = 0;
		look_add_anybody(look, address);
	}
}

/* ---- semaphores, and the guards of C++ ---- */

/* The only thread that claims it; SNAPSHOT_NONE: none, or several. */
static uint32_t only_holder(const struct look *look, uint64_t address)
{
	const struct snapshot *snapshot = look->snapshot;
	uint32_t found = SNAPSHOT_NONE;
	struct mpsan_hold hold;

	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		if (snapshot->threads.item[i].slot != look->thread->slot ||
		    !snapshot_holds(&snapshot->threads.item[i], address, &hold))
			continue;
		if (found != SNAPSHOT_NONE)
			return SNAPSHOT_NONE;
		found = i;
	}
	return found;
}

/* Who runs the constructor claims it. */
void classify_guard(struct look *look, uint64_t address)
{
	uint32_t holder = only_holder(look, address);

	if (holder == SNAPSHOT_NONE)
		look_add_anybody(look, address);
	else
		look_add_owner(look, holder);
}

/* A semaphore that its takers release serves as a lock; any other may be posted by any thread. */
void classify_semaphore(struct look *look, uint64_t address, uint64_t tag)
{
	uint32_t word[4], holder;
	bool by_other;

	if (!proc_peek(look->thread->pid, address, word, sizeof(word)) || word[0])
		return;
	look->wait->flags |= MPSAN_LF_VERIFIED | (word[2] ? MPSAN_LF_SHARED : 0);
	if (look_add_watchdog(look, address))
		return;
	holder = word[2] ? SNAPSHOT_NONE : only_holder(look, address);
	by_other = holder != SNAPSHOT_NONE && &look->snapshot->threads.item[holder] != look->thread;
	look->wait->holder = by_other ? holder : SNAPSHOT_NONE;
	if (by_other && tag & MPSAN_TAG_MUTUAL && !(tag & MPSAN_TAG_HANDOFF)) {
		look->wait->flags |= MPSAN_LF_MUTUAL;
		look_add_owner(look, holder);
	} else if (word[2] ? !look_add_semlock(look, address) :
			     !look_add_python(look, address, holder)) {
		look_add_anybody(look, address);
		classify_task(look);
	}
}

/* ---- who has taken what has no owner ---- */

static bool claims_it(struct look *look, bool alone)
{
	struct mpsan_hold hold;

	return look->wait->kind == MPSAN_LOCK_SEMAPHORE &&
	       snapshot_holds(look->thread, look->wait->lock, &hold) &&
	       (!(look->wait->flags & MPSAN_LF_SHARED) || look_semlock_is_own(look)) &&
	       ((alone && (look_process(look)->python ||
			   !(snapshot_wanted(look->thread).tag & MPSAN_TAG_HANDOFF))) ||
		(look_process(look)->python && look->thread->tid != look->thread->pid &&
		 !(snapshot_wanted(look->thread).tag & MPSAN_TAG_HANDOFF)));
}

/* From outside there are no claims. Of a semaphore only Python says whether it serves as a lock. */
static bool must_have_it(const struct look *look, bool alone)
{
	bool is_lock = look->wait->kind == MPSAN_LOCK_SEMAPHORE ?
			       look_process(look)->python != 0 :
			       mpsan_kind_is_lock((unsigned)look->wait->kind);

	return look->snapshot->outside && alone && is_lock &&
	       !(look->wait->flags & MPSAN_LF_SHARED) && proc_is_single(look->thread->pid);
}

/* Whether only threads of its own process could end the wait. */
static bool is_for_own(const struct look *look)
{
	return look->wait->count == 1 &&
	       look->waits->who.item[look->wait->begin] == look->thread->process;
}

static uint32_t find_taker(struct look *look, bool alone)
{
	const struct wait *wait = look->wait;

	if (is_for_own(look) && (claims_it(look, alone) || must_have_it(look, alone)))
		return (uint32_t)(look->thread - look->snapshot->threads.item);
	return wait->kind == MPSAN_LOCK_SEMAPHORE && wait->flags & MPSAN_LF_SHARED ?
		       look_semlock_taker(look) :
		       SNAPSHOT_NONE;
}

bool classify_taker(struct look *look)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];
	bool alone = process->end - process->begin == 1;
	uint32_t taker = look->wait->end == WAIT_PROCESSES ? find_taker(look, alone) :
							     SNAPSHOT_NONE;

	if (taker == SNAPSHOT_NONE ||
	    !look_calls_lock(look)) /* reading frames is expensive: last */
		return false;
	look->wait->holder = taker;
	if (alone && is_for_own(look)) {
		look->wait->count = 0;
		look_add_owner(look, taker);
	}
	return true;
}

/* Who took a lock of Python's, by the records or, where there are none, by the frames. */
static uint32_t taker_of(const struct waits *waits, uint32_t index)
{
	const struct wait *wait = &waits->item.item[index];
	const struct snapshot_thread *thread = &waits->snapshot->threads.item[index];
	const struct snapshot_python *python = &thread->python;

	if (wait->kind != MPSAN_LOCK_SEMAPHORE || wait->holder != SNAPSHOT_NONE)
		return wait->kind == MPSAN_LOCK_SEMAPHORE ? wait->holder : SNAPSHOT_NONE;
	return python->known && python->taker && python->lock == wait->lock ?
		       snapshot_find(waits->snapshot, thread->slot, python->taker) :
		       SNAPSHOT_NONE;
}

/* The thread that has the lock for which another one waits, if only one has; SNAPSHOT_NONE: unknown. */
static uint32_t next_in_circle(const struct waits *waits, uint32_t index)
{
	const struct wait *wait = &waits->item.item[index];

	if (!mpsan_kind_is_lock((unsigned)wait->kind) || wait->joins)
		return SNAPSHOT_NONE;
	if (wait->end == WAIT_OWNERS && wait->count == 1)
		return waits->who.item[wait->begin];
	return wait->end == WAIT_PROCESSES ? taker_of(waits, index) : SNAPSHOT_NONE;
}

static bool is_in_circle(const struct waits *waits, uint32_t index)
{
	uint32_t at = next_in_circle(waits, index);

	for (uint32_t i = 0; at != SNAPSHOT_NONE && at != index && i < waits->item.count; i++)
		at = next_in_circle(waits, at);
	return at == index;
}

void classify_circle(struct look *look)
{
	uint32_t own = (uint32_t)(look->thread - look->snapshot->threads.item), taker;

	if (look->wait->end != WAIT_PROCESSES ||
	    snapshot_wanted(look->thread).tag & MPSAN_TAG_HANDOFF || !look_has_frames(look) ||
	    !is_in_circle(look->waits, own) || !look_calls_lock(look))
		return;
	taker = taker_of(look->waits, own);
	look->wait->count = 0;
	look->wait->flags |= MPSAN_LF_MUTUAL;
	if (look->thread->python.known && look->thread->python.mutex) {
		look->wait->kind = MPSAN_LOCK_PYTHON;
		look->wait->lock = look->thread->python.mutex;
	}
	look_add_owner(look, taker);
}
