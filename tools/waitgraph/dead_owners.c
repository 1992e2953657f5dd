/* SPDX-License-Identifier: Apache-2.0 */
/* Finds threads that wait for something that a dead process owned. */
#include "dead_owners.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../facts/processes.h"
#include "../facts/roles.h"
#include "../job/patience.h"
#include "../proc/calls.h"
#include "../proc/process/cgroup.h"
#include "../waits/ledger.h"
#include "../waits/pythreads.h"

#define RESULT_OUTSIDE_NS 400000000ull /* since it is looked at: it has waited before */
#define POOLS_NS 400000000ull /* between two examinations of pools */
#define WORKERS_MAX 256u
#define DOUBT_LOOKS 8u /* minimum in snapshots, which are rare on a busy machine */

void dead_owners_init(struct dead_owners *dead_owners)
{
	*dead_owners = (struct dead_owners){.oom_kills = cgroup_oom_kills((uint32_t)getpid())};
}

/* The search of one snapshot. */
struct search {
	struct dead_owners *dead_owners;
	struct shared *shared;
	const struct graph *graph;
	const struct snapshot *snapshot;
	void (*see)(const struct dead_owner *dead_owner, void *context);
	void *context;
};

static bool somebody_died(const struct reader *reader)
{
	READER_EACH_SLOT(reader, slot)
		if (reader->processes[slot].gone &&
		    !(reader->session.table[slot].flags & MPSAN_PROCESS_REPLACED))
			return true;
	return false;
}

/* Whether a thread is blocked, and nothing ends its wait before the time of the graph. */
static bool is_stuck(const struct search *search, uint32_t index)
{
	const struct snapshot_thread *thread = &search->snapshot->threads.item[index];
	const struct wait *wait = &search->graph->waits->item.item[index];

	if (wait->ends == MPSAN_ENDS_NEVER)
		return thread->looks > 1;
	if (wait->ends == MPSAN_ENDS_POLL ? search->graph->before_ns != JOB_RENEWED :
					    wait_ends_at(wait) < search->graph->before_ns)
		return false;
	return wait_since(search->snapshot, search->graph->waits, index) + PATIENCE_NS(OWNER) <=
	       search->snapshot->now_ns;
}

/* If the kernel may have ended that process. */
static const char *want_of_memory(const struct search *search, uint32_t slot)
{
	const struct mpsan_process *process = &search->snapshot->reader->session.table[slot];
	int64_t before = search->dead_owners->oom_kills;

	return process->end == MPSAN_END_SIGNAL && process->end_value == SIGKILL && before >= 0 &&
			       cgroup_oom_kills((uint32_t)getpid()) > before ?
		       "; possibly out of memory: the control group counted an OOM kill" :
		       NULL;
}

/* ---- shared semaphores ---- */

/* Reads the lock of a key at the address in the thread's process; false: unreadable. */
static bool describe_lock(const struct search *search, const struct snapshot_thread *thread,
			  uint64_t address, const struct seen_share *made,
			  struct cross_process_lock *lock)
{
	uint32_t value;

	*lock = (struct cross_process_lock){.first = UINT64_MAX};
	if (!made || !proc_peek(thread->pid, address, &value, sizeof(value)))
		return false;
	lock->value = value;
	lock->first = made->ev.value;
	lock->made = reader_text(search->snapshot->reader, made->at.slot, made->ev.python);
	return true;
}

/* Other threads may not be blocked yet: a doubt may become a proof shortly. */
static bool is_recent(const struct search *search, const struct snapshot_thread *thread,
		      uint32_t dead)
{
	return thread->looks < DOUBT_LOOKS ||
	       search->snapshot->now_ns <
		       search->snapshot->reader->processes[dead].gone_ns + PATIENCE_NS(DOUBT);
}

/* Whether a thread that is not dead only tries again and again to take that lock. */
static bool polls_for(const struct search *search, uint32_t index, const struct wait *of)
{
	const struct wait *wait = &search->graph->waits->item.item[index];

	return wait->ends == MPSAN_ENDS_POLL && wait->kind == of->kind && wait->lock == of->lock;
}

/* Whether all that could release the lock wait, the thread that polls for it among them. */
static bool all_wait(const struct search *search, uint32_t index)
{
	const struct waits *waits = search->graph->waits;
	const struct wait *wait = &waits->item.item[index];

	if (search->graph->solved.dead[index])
		return true;
	if (wait->end != WAIT_PROCESSES || wait->by_job || !polls_for(search, index, wait))
		return false;
	for (uint32_t k = 0; k < wait->count; k++) {
		const struct snapshot_process *process =
			&search->snapshot->processes.item[waits->who.item[wait->begin + k]];

		for (uint32_t i = process->begin; i < process->end; i++)
			if (!search->graph->solved.dead[i] && !waits->item.item[i].harmless &&
			    !polls_for(search, i, wait))
				return false;
	}
	return true;
}

/*
 * Whether the waiter stands at a `with` block of a lock, for so long that others who go on would have
 * released it for the dead owner if they ever do.
 */
static bool is_unhelped(const struct search *search, uint32_t index, uint32_t dead)
{
	const struct snapshot_thread *thread = &search->snapshot->threads.item[index];
	uint64_t now_ns = search->snapshot->now_ns;

	return now_ns >= search->snapshot->reader->processes[dead].gone_ns + PATIENCE_NS(HELP) &&
	       now_ns >= wait_since(search->snapshot, search->graph->waits, index) +
				 PATIENCE_NS(HELP) &&
	       pythread_enters_shared(thread, search->graph->waits->item.item[index].lock) &&
	       !waits_any_hands_on(search->graph->waits);
}

static bool owner_is_gone(const struct search *search, uint32_t index,
			  const struct pshared_key *key, struct cross_process_lock *lock)
{
	struct shared *shared = search->shared;
	const struct snapshot_thread *thread = &search->snapshot->threads.item[index];
	struct dead_owner dead_owner = {.cause = MPSAN_DEADLOCK_OWNER_GONE, .thread = index};
	struct cross_process_claims claims = {0};
	enum cross_process_verdict verdict;

	pshared_takers(shared, key, cross_process_add, &claims);
	lock->all_wait = all_wait(search, index);
	if (cross_process_owner_gone(lock, &claims) == CROSS_NO)
		return false;
	lock->strangers = pshared_has_strangers(shared, key);
	lock->unhelped = is_unhelped(search, index, claims.dead.slot);
	verdict = cross_process_owner_gone(lock, &claims);
	if (verdict == CROSS_NO)
		return false;
	if (verdict == CROSS_DOUBT && (ledger_of(search->snapshot, index)->stand.doubted ||
				       is_recent(search, thread, claims.dead.slot)))
		return true;
	dead_owner.proof = verdict == CROSS_PROOF;
	dead_owner.dead_slot = claims.dead.slot;
	dead_owner.taken = claims.dead.caller;
	dead_owner.detail = want_of_memory(search, claims.dead.slot);
	search->see(&dead_owner, search->context);
	return true;
}

/* notify() waits for the second semaphore of a condition; the sleepers waited for the third. */
static void waiter_is_gone(const struct search *search, uint32_t index,
			   const struct seen_share *made, const struct cross_process_lock *woken)
{
	const struct snapshot_thread *thread = &search->snapshot->threads.item[index];
	struct shared *shared = search->shared;
	struct dead_owner dead_owner = {
		.cause = MPSAN_DEADLOCK_WAITER_GONE, .thread = index, .proof = true};
	const struct seen_share *before, *after;
	struct cross_process_lock sleeping, wait;
	struct pshared_key key;
	struct cross_process_claims claims = {0};

	before = pshared_sibling(shared, made, -1, &key);
	if (!before || !describe_lock(search, thread, before->ev.lock, before, &sleeping))
		return;
	after = pshared_sibling(shared, made, 1, &key);
	if (!after || !describe_lock(search, thread, after->ev.lock, after, &wait))
		return;
	pshared_takers(shared, &key, cross_process_add, &claims);
	if (cross_process_waiter_gone(&sleeping, woken, &wait, &claims) != CROSS_PROOF)
		return;
	wait.strangers = pshared_has_strangers(shared, &key);
	dead_owner.dead_slot = claims.dead.slot;
	dead_owner.taken = claims.dead.caller;
	if (cross_process_waiter_gone(&sleeping, woken, &wait, &claims) == CROSS_PROOF)
		search->see(&dead_owner, search->context);
}

static void look_at_semaphore(const struct search *search, uint32_t index)
{
	const struct snapshot_thread *thread = &search->snapshot->threads.item[index];
	const struct wait *wait = &search->graph->waits->item.item[index];
	const struct seen_share *made;
	struct cross_process_lock lock;
	struct pshared_key key;

	if ((ledger_is_told(search->snapshot, index) &&
	     !ledger_of(search->snapshot, index)->stand.doubted) ||
	    !is_stuck(search, index) || wait->kind != MPSAN_LOCK_SEMAPHORE ||
	    !(wait->flags & MPSAN_LF_SHARED) ||
	    !pshared_find(search->shared, thread->slot, wait->lock, &key))
		return;
	made = pshared_made(search->shared, &key);
	if (describe_lock(search, thread, wait->lock, made, &lock) &&
	    !owner_is_gone(search, index, &key, &lock))
		waiter_is_gone(search, index, made, &lock);
}

/* ---- pools ---- */

/* The workers of a process, while they are collected. */
struct workers {
	const struct search *search;
	struct cross_process_worker worker[WORKERS_MAX];
	uint32_t count;
};

static void see_worker(uint32_t slot, void *context)
{
	struct workers *workers = context;
	const struct snapshot *snapshot = workers->search->snapshot;
	const struct mpsan_process *process = &snapshot->reader->session.table[slot];
	uint32_t at = snapshot_process(snapshot, slot);
	const struct snapshot_thread *first;
	struct cross_process_worker *worker;

	if (workers->count == WORKERS_MAX)
		return;
	worker = &workers->worker[workers->count++];
	*worker = (struct cross_process_worker){.slot = slot,
						.alive = at != SNAPSHOT_NONE,
						.end = process->end,
						.end_value = process->end_value,
						.end_ns = process->end_ns};
	if (!worker->alive) {
		worker->in_queue =
			!workers->search->shared ||
			cross_process_in_queue(snapshot->reader, workers->search->shared, slot);
		return;
	}
	if (snapshot->processes.item[at].begin == snapshot->processes.item[at].end)
		return;
	first = &snapshot->threads.item[snapshot->processes.item[at].begin];
	worker->part = pythread_part(first);
	worker->blocked = first->looks > 1;
	worker->reads = first->call.state == PROC_IN_CALL && first->call.number == SYS_read;
	worker->replaces = snapshot->outside && pythread_replaces_worker(first);
}

static bool stands_in_read(const struct snapshot_thread *thread)
{
	return thread->looks > 1 && thread->call.state == PROC_IN_CALL &&
	       thread->call.number == SYS_read;
}

/* Whether a main thread has done nothing but sleep, again and again at one place, for as long as a hang lasts. */
static bool only_sleeps(const struct search *search, uint32_t index)
{
	const struct snapshot_thread *thread = &search->snapshot->threads.item[index];
	uint64_t patience_ns = search->dead_owners->hang_after_ns;

	return patience_ns && thread->tid == thread->pid && thread->rounds && thread->same_ns &&
	       call_is_sleep(&thread->same) && !ledger_is_told(search->snapshot, index) &&
	       thread->same_ns + patience_ns <= search->snapshot->now_ns;
}

/*
 * Determines the roles of the pool owner's threads, and which of them waits for a result. The others
 * may do what they like: only the pool's own threads deliver results.
 */
static uint32_t look_at_owner(const struct search *search, const struct snapshot_process *process,
			      struct cross_process_pool *pool)
{
	uint32_t waiter = SNAPSHOT_NONE;

	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct snapshot_thread *thread = &search->snapshot->threads.item[i];
		enum cross_process_part part = pythread_part(thread);

		if (part == CROSS_PART_TASKS_IDLE || part == CROSS_PART_TASKS_BUSY) {
			pool->tasks = part;
			pool->tasks_blocked = thread->looks > 1;
			pool->feeders++;
		} else if (part >= CROSS_PART_RESULTS_IDLE) {
			pool->pools++;
			pool->results = part;
			pool->results_blocked = stands_in_read(thread);
		} else if (part == CROSS_PART_WAITER && !ledger_is_told(search->snapshot, i) &&
			   is_stuck(search, i)) {
			waiter = i;
		}
	}
	pool->polled = waiter == SNAPSHOT_NONE && only_sleeps(search, process->begin);
	return pool->polled ? process->begin : waiter;
}

/* What is known of the children of each process, by slot. */
enum child_state { CHILD_LIVES = 1, CHILD_FAILED = 2 };

static uint8_t *find_kin(const struct snapshot *snapshot)
{
	const struct session *session = &snapshot->reader->session;
	uint8_t *children = memory_get(session->slots);

	READER_EACH_SLOT(snapshot->reader, slot) {
		uint32_t parent = process_failed_untold(&session->table[slot]) ?
					  session->table[session_born_as(session, slot)].parent :
					  0;

		if (parent && parent <= session->slots)
			children[parent - 1] |= CHILD_FAILED;
	}
	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		uint32_t parent =
			process_parent(&snapshot->reader->facts, snapshot->processes.item[i].slot);

		if (parent < session->slots)
			children[parent] |= CHILD_LIVES;
	}
	return children;
}

static bool has_handlers(const struct search *search, uint32_t slot)
{
	return session_handlers(&search->snapshot->reader->session, slot) & ~(1ull << (SIGINT - 1));
}

/*
 * From outside, the frames of the forks may be unknown: those of the children tell. False if one of them may be
 * a worker, and may not.
 */
static bool see_children(struct workers *workers, uint32_t parent)
{
	const struct snapshot *snapshot = workers->search->snapshot;
	uint32_t children = 0, idle = 0;

	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		uint32_t slot = snapshot->processes.item[i].slot;

		if (process_parent(&snapshot->reader->facts, slot) != parent ||
		    role_text(role_of(&snapshot->reader->session.table[slot])))
			continue;
		see_worker(slot, workers);
		children++;
	}
	for (uint32_t i = 0; i < workers->count; i++)
		idle += workers->worker[i].part == CROSS_PART_WORKER_IDLE;
	return children == idle;
}

static void see_dead_worker(uint32_t slot, void *context)
{
	const struct workers *workers = context;

	if (snapshot_process(workers->search->snapshot, slot) == SNAPSHOT_NONE)
		see_worker(slot, context);
}

/* False: not all are known. */
static bool see_workers(struct workers *workers, uint32_t parent)
{
	const struct reader *reader = workers->search->snapshot->reader;

	if (!workers->search->snapshot->outside) {
		cross_process_workers(reader, parent, see_worker, workers);
		return true;
	}
	cross_process_workers(reader, parent, see_dead_worker, workers);
	return see_children(workers, parent);
}

static bool was_long_ago(const struct search *search, uint32_t dead)
{
	return search->snapshot->reader->processes[dead].gone_ns +
		       search->dead_owners->hang_after_ns <=
	       search->snapshot->now_ns;
}

/* A worker died with its task. */
static void look_at_workers(const struct search *search, const struct snapshot_process *process,
			    struct cross_process_pool *pool, uint32_t waiter)
{
	struct dead_owner dead_owner = {.cause = MPSAN_DEADLOCK_TASK_LOST,
					.thread = waiter,
					.dead_slot = SNAPSHOT_NONE,
					.proof = true};
	AUTO_FREE struct workers *workers = memory_get(sizeof(*workers));
	uint32_t lost;
	bool all;

	workers->search = search;
	all = see_workers(workers, process->slot);
	pool->worker = workers->worker;
	pool->workers = workers->count;
	lost = cross_process_worker_lost(pool);
	if (lost != CROSS_NONE) {
		dead_owner.handled = has_handlers(search, process->slot);
		dead_owner.dead_slot = workers->worker[lost].slot;
		dead_owner.detail = want_of_memory(search, dead_owner.dead_slot);
	}
	if (all &&
	    (pool->polled ? lost != CROSS_NONE && was_long_ago(search, dead_owner.dead_slot) :
			    lost != CROSS_NONE || cross_process_worker_replaced(pool)))
		search->see(&dead_owner, search->context);
}

/* Whether its main thread has waited for a while for something of its own process. */
static bool may_want_result(const struct search *search, const struct snapshot_process *process)
{
	const struct snapshot *snapshot = search->snapshot;
	const struct snapshot_thread *main_thread = &snapshot->threads.item[process->begin];
	const struct wait *wait = &search->graph->waits->item.item[process->begin];

	return !ledger_is_told(snapshot, process->begin) && !(wait->flags & MPSAN_LF_SHARED) &&
	       (wait->kind == MPSAN_LOCK_SEMAPHORE || wait->kind == MPSAN_LOCK_PYTHON) &&
	       snapshot->now_ns - main_thread->still_ns >=
		       (snapshot->outside ? RESULT_OUTSIDE_NS : PATIENCE_NS(RESULT));
}

/*
 * The thread that delivers results has ended, and the pool was not told to: it failed. A thread that runs may be that one, as
 * long as its frames are not known.
 */
static bool has_lost_results(const struct search *search, const struct snapshot_process *process,
			     const struct cross_process_pool *pool, uint32_t waiter)
{
	const struct snapshot_thread *thread = search->snapshot->threads.item;

	if (pool->feeders != 1 || pool->pools || pool->tasks != CROSS_PART_TASKS_IDLE ||
	    !pool->tasks_blocked || pool->polled)
		return false;
	for (uint32_t i = process->begin; i < process->end; i++)
		if (!pythread_is_legible(&thread[i]))
			return false;
	return !snapshot_has_moved(&thread[waiter]);
}

static void look_at_pool(const struct search *search, const struct snapshot_process *process,
			 uint8_t children)
{
	struct dead_owner dead_owner = {
		.cause = MPSAN_DEADLOCK_DEAD_END, .dead_slot = SNAPSHOT_NONE, .proof = true};
	struct cross_process_pool pool = {0};
	bool lost_child = children & CHILD_FAILED;

	if (!lost_child && !(children & CHILD_LIVES && may_want_result(search, process)))
		return;
	dead_owner.thread = look_at_owner(search, process, &pool);
	if (dead_owner.thread == SNAPSHOT_NONE)
		return;
	dead_owner.handled = has_handlers(search, process->slot);
	if (has_lost_results(search, process, &pool, dead_owner.thread))
		search->see(&dead_owner, search->context);
	else if (lost_child || search->snapshot->outside)
		look_at_workers(search, process, &pool, dead_owner.thread);
}

void dead_owners_find(struct dead_owners *dead_owners, const struct graph *graph,
		      struct waits *waits,
		      void (*see)(const struct dead_owner *dead_owner, void *context),
		      void *context)
{
	struct search search = {dead_owners, NULL, graph, waits->snapshot, see, context};
	const struct snapshot *snapshot = search.snapshot;
	AUTO_FREE uint8_t *children = NULL;

	if (somebody_died(snapshot->reader)) {
		search.shared = waits_shared(waits);
		for (uint32_t i = 0; i < snapshot->threads.count; i++)
			look_at_semaphore(&search, i);
	}
	if (dead_owners->pools_ns != snapshot->now_ns) {
		if (snapshot->now_ns < dead_owners->pools_due_ns)
			return;
		dead_owners->pools_ns = snapshot->now_ns;
		dead_owners->pools_due_ns = snapshot->now_ns + POOLS_NS;
	}
	children = find_kin(snapshot);
	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		look_at_pool(&search, &snapshot->processes.item[i],
			     children[snapshot->processes.item[i].slot]);
}
