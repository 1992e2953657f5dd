/* See losses.h. */
#include "losses.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pythreads.h"

#define POOLS_NS 400000000ull /* between two looks at pools */
#define WORKERS_MAX 256u
#define DOUBT_NS 2000000000ull /* from a death to a warning that is no proof */
#define DOUBT_LOOKS 8u /* the same in looks, which are rare on a busy machine */

void losses_init(struct losses *losses, const struct reader *reader)
{
	*losses = (struct losses){.shared = shared_create(reader),
				  .oom_kills = cross_oom_kills((uint32_t)getpid())};
}

void losses_finish(struct losses *losses)
{
	shared_destroy(losses->shared);
	*losses = (struct losses){0};
}

/* One look. */
struct search {
	struct losses *losses;
	const struct graph *graph;
	const struct census *census;
	void (*see)(const struct loss *loss, void *context);
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

/* ---- shared semaphores ---- */

/* The lock behind a key, as the thread's process sees it at an address; false: not to be read. */
static bool describe_lock(const struct search *search, const struct census_thread *thread,
			  uint64_t address, const struct seen_share *made, struct cross_lock *lock)
{
	uint32_t value;

	*lock = (struct cross_lock){.first = UINT64_MAX};
	if (!made || !proc_peek(thread->pid, address, &value, sizeof(value)))
		return false;
	lock->value = value;
	lock->first = made->ev.value;
	lock->made = reader_text(search->census->reader, made->at.slot, made->ev.python);
	return true;
}

/* Others may not stand still yet: what is a doubt now can be a proof in a moment. */
static bool is_recent(const struct search *search, const struct census_thread *thread,
		      uint32_t dead)
{
	return thread->looks < DOUBT_LOOKS ||
	       search->census->now_ns < search->census->reader->processes[dead].gone_ns + DOUBT_NS;
}

static bool owner_is_gone(const struct search *search, uint32_t index, const struct shared_key *key,
			  struct cross_lock *lock)
{
	struct shared *shared = search->losses->shared;
	const struct census_thread *thread = &search->census->threads.item[index];
	struct loss loss = {.cause = MPSAN_KNOT_OWNER_GONE, .thread = index};
	struct cross_claims claims = {0};
	enum cross_verdict verdict;

	shared_takers(shared, key, cross_add, &claims);
	lock->all_wait = search->graph->dead[index];
	if (cross_owner_gone(lock, &claims) == CROSS_NO)
		return false;
	lock->strangers = shared_has_strangers(shared, key);
	verdict = cross_owner_gone(lock, &claims);
	if (verdict == CROSS_NO)
		return false;
	if (verdict == CROSS_DOUBT &&
	    (thread->doubted || is_recent(search, thread, claims.dead.slot)))
		return true;
	loss.proof = verdict == CROSS_PROOF;
	loss.dead_slot = claims.dead.slot;
	loss.taken = claims.dead.caller;
	search->see(&loss, search->context);
	return true;
}

/* notify() waits for the second of a condition's three semaphores; the sleepers slept on the third. */
static void waiter_is_gone(const struct search *search, uint32_t index,
			   const struct seen_share *made, const struct cross_lock *woken)
{
	const struct census_thread *thread = &search->census->threads.item[index];
	struct shared *shared = search->losses->shared;
	struct loss loss = {.cause = MPSAN_KNOT_WAITER_GONE, .thread = index, .proof = true};
	const struct seen_share *before, *after;
	struct cross_lock sleeping, wait;
	struct shared_key key;
	struct cross_claims claims = {0};

	before = shared_sibling(shared, made, -1, &key);
	if (!before || !describe_lock(search, thread, before->ev.lock, before, &sleeping))
		return;
	after = shared_sibling(shared, made, 1, &key);
	if (!after || !describe_lock(search, thread, after->ev.lock, after, &wait))
		return;
	shared_takers(shared, &key, cross_add, &claims);
	if (cross_waiter_gone(&sleeping, woken, &wait, &claims) != CROSS_PROOF)
		return;
	wait.strangers = shared_has_strangers(shared, &key);
	loss.dead_slot = claims.dead.slot;
	loss.taken = claims.dead.caller;
	if (cross_waiter_gone(&sleeping, woken, &wait, &claims) == CROSS_PROOF)
		search->see(&loss, search->context);
}

static void look_at_semaphore(const struct search *search, uint32_t index)
{
	const struct census_thread *thread = &search->census->threads.item[index];
	const struct wait *wait = &search->graph->waits->item.item[index];
	const struct seen_share *made;
	struct cross_lock lock;
	struct shared_key key;

	if ((thread->told && !thread->doubted) || thread->looks < 2 || wait->timed ||
	    wait->kind != MPSAN_LOCK_SEMAPHORE || !(wait->flags & MPSAN_LF_SHARED) ||
	    !shared_find(search->losses->shared, thread->slot, wait->lock, &key))
		return;
	made = shared_made(search->losses->shared, &key);
	if (describe_lock(search, thread, wait->lock, made, &lock) &&
	    !owner_is_gone(search, index, &key, &lock))
		waiter_is_gone(search, index, made, &lock);
}

/* ---- pools ---- */

/* The workers of one process, in the making. */
struct crew {
	const struct search *search;
	struct cross_worker worker[WORKERS_MAX];
	uint32_t count;
};

static void see_worker(uint32_t slot, void *context)
{
	struct crew *crew = context;
	const struct census *census = crew->search->census;
	const struct mpsan_process *process = &census->reader->session.table[slot];
	uint32_t at = census_process(census, slot), first;
	struct cross_worker *worker;

	if (crew->count == WORKERS_MAX)
		return;
	worker = &crew->worker[crew->count++];
	*worker = (struct cross_worker){.slot = slot,
					.alive = at != CENSUS_NONE,
					.end = process->end,
					.end_value = process->end_value,
					.end_ns = process->end_ns};
	if (!worker->alive) {
		worker->in_queue =
			cross_in_queue(census->reader, crew->search->losses->shared, slot);
		return;
	}
	first = census->processes.item[at].begin;
	worker->part = pythread_part(&census->threads.item[first]);
	worker->blocked = census->threads.item[first].looks > 1;
	worker->reads = census->threads.item[first].call.state == PROC_IN_CALL &&
			census->threads.item[first].call.number == SYS_read;
}

static bool stands_in_read(const struct census_thread *thread)
{
	return thread->looks > 1 && thread->call.state == PROC_IN_CALL &&
	       thread->call.number == SYS_read;
}

/* A thread that is no pool's and may go on could still bring the result about. */
static bool may_help(const struct search *search, uint32_t index)
{
	char *stack;
	bool is_pools;

	if (search->graph->dead[index])
		return false;
	stack = pythread_stack(&search->census->threads.item[index]);
	is_pools = strstr(stack, "_handle_workers\t") != NULL;
	free(stack);
	return !is_pools;
}

/* What the threads of the process that owns the pool are doing; who of them waits for a result. */
static uint32_t look_at_owner(const struct search *search, const struct census_process *process,
			      struct cross_pool *pool)
{
	uint32_t waiter = CENSUS_NONE;

	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct census_thread *thread = &search->census->threads.item[i];
		enum cross_part part = pythread_part(thread);

		if (part == CROSS_PART_TASKS_IDLE || part == CROSS_PART_TASKS_BUSY) {
			pool->tasks = part;
			pool->tasks_blocked = thread->looks > 1;
		} else if (part == CROSS_PART_RESULTS_IDLE || part == CROSS_PART_RESULTS_BUSY) {
			pool->pools++;
			pool->results = part;
			pool->results_blocked = stands_in_read(thread);
		} else if (part == CROSS_PART_WAITER && thread->looks > 1 && !thread->told &&
			   !search->graph->waits->item.item[i].timed) {
			waiter = i;
		} else if (part == CROSS_PART_NONE && may_help(search, i)) {
			return CENSUS_NONE;
		}
	}
	return waiter;
}

static const char *want_of_memory(const struct losses *losses, int value)
{
	int64_t now = cross_oom_kills((uint32_t)getpid());

	return value == SIGKILL && losses->oom_kills >= 0 && now > losses->oom_kills ?
		       "; perhaps out of memory: the control group counted a kill for want of it" :
		       NULL;
}

static bool has_lost_child(const struct reader *reader, uint32_t parent)
{
	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];

		if (reader->session.table[session_born_as(&reader->session, slot)].parent ==
			    parent + 1 &&
		    process->end == MPSAN_END_SIGNAL && process->end_value != SIGTERM)
			return true;
	}
	return false;
}

static void look_at_pool(const struct search *search, const struct census_process *process)
{
	struct loss loss = {.cause = MPSAN_KNOT_TASK_LOST, .proof = true};
	struct crew *crew;
	struct cross_pool pool = {0};
	uint32_t lost;

	if (!has_lost_child(search->census->reader, process->slot) ||
	    proc_handlers(&search->census->reader->session.table[process->slot]) &
		    ~(1ull << (SIGINT - 1)))
		return;
	loss.thread = look_at_owner(search, process, &pool);
	if (loss.thread == CENSUS_NONE)
		return;
	crew = memory_get(sizeof(*crew));
	crew->search = search;
	cross_workers(search->census->reader, process->slot, see_worker, crew);
	pool.worker = crew->worker;
	pool.workers = crew->count;
	lost = cross_worker_lost(&pool);
	if (lost != CROSS_NONE) {
		loss.dead_slot = crew->worker[lost].slot;
		loss.detail = want_of_memory(search->losses, crew->worker[lost].end_value);
		search->see(&loss, search->context);
	}
	free(crew);
}

void losses_find(struct losses *losses, const struct graph *graph,
		 void (*see)(const struct loss *loss, void *context), void *context)
{
	struct search search = {losses, graph, graph->waits->census, see, context};
	const struct census *census = search.census;

	if (!somebody_died(census->reader))
		return;
	shared_begin(losses->shared);
	for (uint32_t i = 0; i < census->threads.count; i++)
		look_at_semaphore(&search, i);
	if (census->now_ns < losses->pools_due_ns)
		return;
	losses->pools_due_ns = census->now_ns + POOLS_NS;
	for (uint32_t i = 0; i < census->processes.count; i++)
		look_at_pool(&search, &census->processes.item[i]);
}
