/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread will release a semaphore that serves as one of Python's locks: by the frames and
 * objects of its interpreter, for threads that have stood for a while. Neighbours: waits_look.h,
 * ../symbols/pylock.h.
 */
#include "../job/patience.h"
#include "../proc/calls.h"
#include "pythreads.h"
#include "waits_look.h"

#define FIRST_MUTEX 0x030d01u /* of Python: 3.13.1 */
#define ASKED_MAX 16u /* threads of a process: each that waits asks all others, which is slow */

static struct snapshot_thread *thread_at(const struct look *look, uint32_t index)
{
	return &look->waits->snapshot->threads.item[index];
}

struct pyview *look_view(struct look *look, uint32_t pid)
{
	struct waits *waits = look->waits;

	if (waits->view_of != pid) {
		free(waits->view);
		waits->view = pyview_open((pid_t)pid);
		waits->view_of = pid;
	}
	return waits->view;
}

static struct pyview *view_of(struct look *look)
{
	return look_view(look, look->thread->pid);
}

static uint32_t find_handle(const struct look *look, uint64_t handle)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];

	for (uint32_t i = process->begin; handle && i < process->end; i++)
		if (look_handle(thread_at(look, i)) == handle)
			return i;
	return SNAPSHOT_NONE;
}

/* Whether no thread's record says that it has such a lock: a PyMutex, or any one seen from outside. */
static bool is_unclaimed(const struct look *look, uint64_t mutex)
{
	return mutex || look->snapshot->outside;
}

/* Whether a thread of the process ran before this snapshot, and may have come into a `with` block. */
static bool has_just_stopped(const struct look *look)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];

	for (uint32_t i = process->begin; i < process->end; i++)
		if (look->snapshot->threads.item[i].looks == 2)
			return true;
	return false;
}

/* Of such a lock, while its owner is unknown, frames are read again. */
static bool owner_is_known(const struct look *look)
{
	const struct snapshot_python *python = &look->thread->python;
	uint32_t owner = python->owner ?
				 snapshot_find(look->snapshot, look->thread->slot, python->owner) :
				 SNAPSHOT_NONE;

	if (!python->owner)
		return look->snapshot->now_ns - python->asked_ns < LOOK_AGAIN_NS &&
		       !has_just_stopped(look);
	return owner != SNAPSHOT_NONE && thread_at(look, owner)->runs == python->holder_runs;
}

/* What is known of the thread itself, which does not run, stays true; a holder may have gone on. */
static bool owner_is_cached(const struct look *look, uint64_t lock, uint32_t holder)
{
	const struct snapshot_python *python = &look->thread->python;

	if (snapshot_polls(look->snapshot, look->thread) && python->known &&
	    look->snapshot->now_ns - python->asked_ns < LOOK_AGAIN_NS)
		return true;
	if (python->known && is_unclaimed(look, python->mutex) && python->lock == lock)
		return owner_is_known(look);
	return python->known && python->lock == lock &&
	       (holder == SNAPSHOT_NONE ?
			!python->holder :
			python->holder == thread_at(look, holder)->own_tid &&
				python->holder_runs == thread_at(look, holder)->runs);
}

/* Of a thread that asks whether another is alive. */
static uint32_t tried_owner(const struct look *look, struct pyview *view, uint64_t lock)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];

	for (uint32_t i = process->begin; look->wait->tries && i < process->end; i++)
		if (look_handle(thread_at(look, i)) &&
		    pyview_lock_ends_with(view, look_handle(thread_at(look, i)), lock))
			return i;
	return SNAPSHOT_NONE;
}

static uint32_t join_owner(struct look *look, struct pyview *view, uint64_t lock, uint32_t holder)
{
	uint64_t own = look_handle(look->thread);
	uint32_t tid = pyview_lock_joined(view, own, lock);

	if (tid)
		return snapshot_find(look->snapshot, look->thread->slot, tid);
	return pyview_lock_at_end(view, own) ? holder : tried_owner(look, view, lock);
}

/* Read once while a thread stands still: each thread that waits asks all others. */
static bool has_block_of(struct pyview *view, uint64_t lock, struct snapshot_thread *at)
{
	struct snapshot_blocks *blocks = &at->blocks;

	if (!blocks->known)
		blocks->count =
			pyview_locks_in_with(view, look_handle(at), blocks->lock, SNAPSHOT_BLOCKS);
	blocks->known = true;
	for (uint32_t i = 0; i < blocks->count && i < SNAPSHOT_BLOCKS; i++)
		if (blocks->lock[i] == lock)
			return true;
	return blocks->count > SNAPSHOT_BLOCKS && pyview_lock_in_with(view, look_handle(at), lock);
}

/* Whether a thread, which stands still, is in a `with` block of the lock. */
static bool is_in_with(struct pyview *view, uint64_t lock, struct snapshot_thread *at)
{
	return look_handle(at) && at->call.state == PROC_IN_CALL && has_block_of(view, lock, at) &&
	       !snapshot_has_moved(at);
}

/* Whether a thread that has moved since was in a `with` block of the lock, or one that runs may be. */
static bool may_be_in_with(struct pyview *view, uint64_t lock, struct snapshot_thread *at)
{
	if (!look_handle(at))
		return false;
	return at->call.state == PROC_IN_CALL ?
		       has_block_of(view, lock, at) :
		       pyview_lock_in_with(view, look_handle(at), lock) || !pythread_is_legible(at);
}

/* The only thread of the process that is in a `with` block of it, and can be: another may have left its own for a while. */
static uint32_t with_holder(struct look *look, struct pyview *view, uint64_t mutex)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];
	uint32_t found = SNAPSHOT_NONE;

	for (uint32_t i = process->begin; i < process->end; i++) {
		if (!is_in_with(view, mutex, thread_at(look, i)))
			continue;
		if (found != SNAPSHOT_NONE)
			return SNAPSHOT_NONE;
		found = i;
	}
	for (uint32_t i = process->begin; found != SNAPSHOT_NONE && i < process->end; i++)
		if (i != found && may_be_in_with(view, mutex, thread_at(look, i)))
			return SNAPSHOT_NONE;
	return found;
}

static uint32_t lock_owner(struct look *look, struct pyview *view, uint64_t lock, uint32_t holder)
{
	uint64_t owner = pyview_lock_owner(view, look_handle(look->thread), lock);

	if (owner)
		return find_handle(look, owner);
	return holder != SNAPSHOT_NONE && is_in_with(view, lock, thread_at(look, holder)) ?
		       holder :
		       SNAPSHOT_NONE;
}

static uint32_t unclaimed_owner(struct look *look, struct pyview *view, uint64_t mutex)
{
	uint32_t owner = lock_owner(look, view, mutex, SNAPSHOT_NONE);

	return owner == SNAPSHOT_NONE ? with_holder(look, view, mutex) : owner;
}

/*
 * The only thread of the process that has called the lock's acquire() and, in the order of its instructions, not release()
 * since, while none has it at hand to release it. Who waits for it as well has not got it.
 */
static uint32_t caller_of_acquire(struct look *look, struct pyview *view, uint64_t lock)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];
	uint32_t found = SNAPSHOT_NONE;

	if (process->end - process->begin > ASKED_MAX || !look_calls_lock(look))
		return SNAPSHOT_NONE;
	for (uint32_t i = process->begin; i < process->end; i++) {
		struct snapshot_thread *at = thread_at(look, i);
		struct cpython_taker taker;

		if (at == look->thread || !look_handle(at) ||
		    (at->python.known && (at->python.lock == lock || at->python.mutex == lock)))
			continue;
		taker = pyview_taker(view, look_handle(at), lock, false);
		if (taker.signals ||
		    (taker.called && (found != SNAPSHOT_NONE || at->call.state != PROC_IN_CALL ||
				      snapshot_has_moved(at))))
			return SNAPSHOT_NONE;
		found = taker.called ? i : found;
	}
	return found;
}

/*
 * The thread of a Pool that delivers results, if it runs a callback and is the only one: what this thread
 * waits for comes from there.
 */
static uint32_t result_deliverer(const struct look *look)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];
	uint32_t found = SNAPSHOT_NONE;

	if (pythread_part(look->thread) != CROSS_PART_WAITER)
		return SNAPSHOT_NONE;
	for (uint32_t i = process->begin; i < process->end; i++) {
		enum cross_process_part part = pythread_part(thread_at(look, i));

		if (part == CROSS_PART_RESULTS_IDLE || part == CROSS_PART_RESULTS_OF_THREADS ||
		    (part == CROSS_PART_RESULTS_BUSY && found != SNAPSHOT_NONE))
			return SNAPSHOT_NONE;
		if (part == CROSS_PART_RESULTS_BUSY)
			found = i;
	}
	return found;
}

static void owner_remember(struct look *look, uint64_t lock, uint32_t holder)
{
	struct snapshot_python python = {
		.known = true, .asked_ns = look->snapshot->now_ns, .lock = lock};
	struct pyview *view = view_of(look);
	uint32_t owner = SNAPSHOT_NONE, taker = SNAPSHOT_NONE;

	if (holder != SNAPSHOT_NONE) {
		python.holder = thread_at(look, holder)->own_tid;
		python.holder_runs = thread_at(look, holder)->runs;
	}
	python.mutex = view ? pyview_parked(view, look_handle(look->thread), lock) : 0;
	if (python.mutex) {
		owner = unclaimed_owner(look, view, python.mutex);
	} else if (view) {
		owner = join_owner(look, view, lock, holder);
		if (owner == SNAPSHOT_NONE)
			owner = result_deliverer(look);
		python.joins = owner != SNAPSHOT_NONE;
		if (owner == SNAPSHOT_NONE)
			owner = look->snapshot->outside ? unclaimed_owner(look, view, lock) :
							  lock_owner(look, view, lock, holder);
	}
	if (owner != SNAPSHOT_NONE)
		python.owner = thread_at(look, owner)->own_tid;
	else if (view && is_unclaimed(look, python.mutex))
		taker = caller_of_acquire(look, view, python.mutex ? python.mutex : lock);
	if (taker != SNAPSHOT_NONE)
		python.taker = thread_at(look, taker)->own_tid;
	if (is_unclaimed(look, python.mutex) && python.owner)
		python.holder_runs = thread_at(look, owner)->runs;
	look->thread->python = python;
}

bool look_may_ask(const struct look *look)
{
	return look_has_frames(look) &&
	       (look->snapshot->now_ns - look->thread->still_ns >= PATIENCE_NS(OWNER) ||
		snapshot_polls(look->snapshot, look->thread));
}

/*
 * Who has a lock that nobody claims is asked at once: where all others wait, too, a dead end would be
 * told before the second has passed.
 */
static bool may_be_unclaimed(const struct look *look)
{
	return (look->snapshot->outside || look_process(look)->python >> 8 >= FIRST_MUTEX) &&
	       look_has_frames(look) && !look->thread->call.arg[3];
}

/* Read twice, because threads may come and go while the list is read. */
static bool is_stateless(struct look *look)
{
	struct pyview *view = view_of(look);
	uint64_t own = look_handle(look->thread);

	return view && pythread_is_code(look->thread->pid, look->thread->record->entry) &&
	       pyview_is_foreign(view, own) && pyview_is_foreign(view, own);
}

/* The main thread of a manager only looks each second whether it is to stop. */
static bool is_harmless(struct look *look)
{
	const struct snapshot_thread *thread = look->thread;

	if (thread->tid == thread->pid)
		return pythread_runs(thread, "serve_forever", "multiprocessing/managers.py");
	return !thread->record->python_state && is_stateless(look);
}

bool look_add_watchdog(struct look *look, uint64_t lock)
{
	struct snapshot_thread *thread = look->thread;

	if (!wait_is_timed(look->wait) || !look_may_ask(look))
		return false;
	if (thread->harmless_ns != thread->still_ns) {
		thread->harmless_ns = thread->still_ns;
		thread->harmless = is_harmless(look);
	}
	if (!thread->harmless)
		return false;
	look->wait->harmless = true;
	look_add_anybody(look, lock);
	return true;
}

bool look_add_python(struct look *look, uint64_t lock, uint32_t holder)
{
	bool early = !look_may_ask(look) && !may_be_unclaimed(look);
	uint32_t owner;

	if (early && !(look_has_frames(look) && look_is_verdict(look)))
		return false;
	if (!owner_is_cached(look, lock, holder))
		owner_remember(look, lock, holder);
	if (early && look->thread->python.joins)
		return false;
	owner = look->thread->python.owner && look->thread->python.lock == lock ?
			snapshot_find(look->snapshot, look->thread->slot,
				      look->thread->python.owner) :
			SNAPSHOT_NONE;
	if (owner == SNAPSHOT_NONE)
		return false;
	look->wait->joins = look->thread->python.joins;
	if (look->thread->python.mutex) {
		look->wait->kind = MPSAN_LOCK_PYTHON;
		look->wait->lock = look->thread->python.mutex;
	}
	if (!look->wait->joins)
		look->wait->flags |= MPSAN_LF_MUTUAL;
	look_add_owner(look, owner);
	return true;
}

/* ---- processes ---- */

/* Of a thread that ran since, the answer is known for a while if it polls. */
static bool child_is_known(const struct look *look)
{
	const struct snapshot_python *python = &look->thread->python;

	return python->known && (python->asked_ns >= look->thread->still_ns ||
				 (snapshot_polls(look->snapshot, look->thread) &&
				  look->snapshot->now_ns - python->asked_ns < LOOK_AGAIN_NS));
}

/* The PID of the child that the thread joins, kept as its lock; 0: none. */
static uint32_t joined_child(struct look *look)
{
	struct pyview *view;

	if (!child_is_known(look)) {
		view = view_of(look);
		look->thread->python = (struct snapshot_python){
			.known = true,
			.asked_ns = look->snapshot->now_ns,
			.lock = view ? pyview_joined_child(view, look_handle(look->thread)) : 0};
	}
	return (uint32_t)look->thread->python.lock;
}

bool look_add_child(struct look *look)
{
	const struct proc_call *call = &look->thread->call;
	uint32_t pid = call->arg[1] == 1 && look_may_ask(look) ? joined_child(look) : 0,
		 process = pid ? look_child(look, pid) : SNAPSHOT_NONE;

	if (process == SNAPSHOT_NONE)
		return false;
	look->wait->kind = MPSAN_WAIT_PROCESS;
	look->wait->lock = pid;
	look_add_process(look, process);
	if (call_has_limit(call))
		look_add_call_limit(look);
	return true;
}

/* Of the main interpreter: the record is that of its GIL. */
static bool is_main_gil(struct pyview *view, uint64_t gil)
{
	struct pyview_range runtime = pyview_runtime(view);

	return !runtime.end || (gil >= runtime.begin && gil < runtime.end);
}

/* The thread that has the GIL by the interpreter's own record, and stands still. */
static uint32_t recorded_holder(struct look *look)
{
	bool ask = look->snapshot->outside ? look_has_frames(look) : look_may_ask(look);
	struct pyview *view = ask ? look_view(look, look->thread->pid) : NULL;
	uint64_t handle = view && is_main_gil(view, look->wait->lock) ? pyview_gil_holder(view) : 0;
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];

	for (uint32_t i = process->begin; handle && i < process->end; i++) {
		const struct snapshot_thread *thread = &look->snapshot->threads.item[i];

		if (look_handle(thread) == handle)
			return thread != look->thread && thread->looks > 1 &&
					       thread->call.state == PROC_IN_CALL ?
				       i :
				       SNAPSHOT_NONE;
	}
	return SNAPSHOT_NONE;
}

void look_add_gil(struct look *look)
{
	const struct snapshot *snapshot = look->snapshot;
	uint32_t holder = SNAPSHOT_NONE;

	for (uint32_t i = 0; i < snapshot->threads.count && holder == SNAPSHOT_NONE; i++) {
		const struct snapshot_thread *other = &snapshot->threads.item[i];

		if (other->slot == look->thread->slot && other->call.state == PROC_IN_CALL &&
		    snapshot_wanted(other).tag & MPSAN_TAG_GIL)
			holder = i;
	}
	if (holder == SNAPSHOT_NONE)
		holder = recorded_holder(look);
	if (holder != SNAPSHOT_NONE)
		look_add_owner(look, holder);
}

bool waits_in_daemon(struct waits *waits, uint32_t index)
{
	struct snapshot_thread *thread = &waits->snapshot->threads.item[index];
	struct look look = {waits, waits->snapshot, thread, &waits->item.item[index]};
	struct pyview *view = look.wait->end == WAIT_PROCESSES && wait_is_read(look.wait) &&
					      thread->tid == thread->pid && look_handle(thread) ?
				      look_view(&look, thread->pid) :
				      NULL;

	return view && pyview_is_daemon(view, look_handle(thread));
}
