/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides from claims, Python frames and ends of processes whether a wait across processes can
 * still end.
 */
#include "cross_process.h"

#include <signal.h>

#include "../facts/pyframe.h"

/* ---- claims ---- */

void cross_process_add(const struct pshared_taker *taker, void *context)
{
	struct cross_process_claims *claims = context;
	bool wanted = taker->tag & MPSAN_TAG_WANTED;

	claims->mutual |= (taker->tag & MPSAN_TAG_MUTUAL) != 0;
	claims->handoff |= (taker->tag & MPSAN_TAG_HANDOFF) != 0;
	if (taker->gone && (!wanted || !claims->held_gone))
		claims->dead = *taker;
	if (wanted)
		*(taker->gone ? &claims->wanted_gone : &claims->wanted_living) += 1;
	else
		*(taker->gone ? &claims->held_gone : &claims->held_living) += 1;
}

/* ---- Python frames ---- */

/*
 * Finds the first frame of this function; `inner` becomes the frame that it called, without a function if it is
 * innermost.
 */
static bool find_frame(const char *python, const char *function, const char *file,
		       struct pyframe *inner)
{
	struct pyframe frame;

	*inner = (struct pyframe){0};
	while (pyframe_next(&python, &frame)) {
		if (pyframe_is(&frame, function, file))
			return true;
		*inner = frame;
	}
	return false;
}

#define POOL_PY "multiprocessing/pool.py"
#define QUEUES_PY "multiprocessing/queues.py"
#define CONTEXT_PY "multiprocessing/context.py"

/* Only threading's own waits are nested inside the pool's. */
static bool waits_for_result(const char *python)
{
	struct pyframe frame;

	while (pyframe_next(&python, &frame)) {
		if (pyframe_in(&frame, POOL_PY))
			return pyframe_is(&frame, "wait", POOL_PY) ||
			       pyframe_is(&frame, "next", POOL_PY);
		if (!pyframe_in(&frame, "threading.py"))
			break;
	}
	return false;
}

enum cross_process_part cross_process_part(const char *python)
{
	struct pyframe inner;

	if (waits_for_result(python))
		return CROSS_PART_WAITER;
	if (find_frame(python, "worker", POOL_PY, &inner))
		return inner.function.text && pyframe_is(&inner, "get", QUEUES_PY) ?
			       CROSS_PART_WORKER_IDLE :
			       CROSS_PART_WORKER_BUSY;
	if (find_frame(python, "_handle_tasks", POOL_PY, &inner))
		return inner.function.text ? CROSS_PART_TASKS_BUSY : CROSS_PART_TASKS_IDLE;
	if (!find_frame(python, "_handle_results", POOL_PY, &inner))
		return CROSS_PART_NONE;
	if (!inner.function.text)
		return CROSS_PART_RESULTS_OF_THREADS;
	return pyframe_is(&inner, "recv", "multiprocessing/connection.py") ?
		       CROSS_PART_RESULTS_IDLE :
		       CROSS_PART_RESULTS_BUSY;
}

/* The first process started by spawn may need the resource tracker, which is started before it. */
bool cross_process_makes_worker(const char *python)
{
	return pyframe_among(python, "_repopulate_pool_static", POOL_PY) &&
	       !pyframe_among(python, "", "multiprocessing/resource_tracker.py");
}

bool cross_process_replaces_worker(const char *python)
{
	return pyframe_among(python, "_maintain_pool", "multiprocessing/pool.py");
}

bool cross_process_makes_pool_queue(const char *python)
{
	return pyframe_among(python, "_setup_queues", POOL_PY);
}

/* The fork that made a child: the one it names, else its parent's last one before it. */
static const struct fact_fork *fork_of(const struct reader *reader, uint32_t parent, uint32_t child)
{
	const struct mpsan_process *process = &reader->session.table[child];
	uint32_t named = process->fork_pos ?
				 reader_find(reader, session_fork_log(&reader->session, process),
					     process->fork_pos, EV_fork) :
				 FACT_NONE;

	if (named != FACT_NONE)
		return &reader->forks.item[named];
	for (uint32_t i = reader->forks.count; i-- > 0;) {
		const struct fact_fork *fork = &reader->forks.item[i];

		if (fork->at.by == parent && fork->at.time_ns <= process->birth_ns &&
		    !fact_how_copies(fork->ev.how))
			return fact_how_copies(process->how) ? NULL : fork;
	}
	return NULL;
}

void cross_process_workers(const struct reader *reader, uint32_t slot,
			   void (*see)(uint32_t child, void *context), void *context)
{
	READER_EACH_SLOT(reader, child) {
		const struct fact_fork *fork;
		uint32_t born = session_born_as(&reader->session, child);

		if (reader->session.table[child].flags & MPSAN_PROCESS_REPLACED ||
		    reader->session.table[born].parent != slot + 1)
			continue;
		fork = fork_of(reader, slot, born);
		if (fork &&
		    cross_process_makes_worker(reader_text(reader, fork->at.slot, fork->ev.python)))
			see(child, context);
	}
}

struct queue_search {
	const struct reader *reader;
	const struct shared *shared;
	bool found;
};

static void see_claim(const struct pshared_taker *taker, const struct pshared_key *key,
		      void *context)
{
	struct queue_search *search = context;
	const struct seen_share *made = pshared_made(search->shared, key);

	(void)taker;
	search->found |= made && cross_process_makes_pool_queue(reader_text(
					 search->reader, made->at.slot, made->ev.python));
}

bool cross_process_in_queue(const struct reader *reader, struct shared *shared, uint32_t slot)
{
	struct queue_search search = {reader, shared, false};

	pshared_claims_of(shared, slot, see_claim, &search);
	return search.found;
}

/* ---- locks ---- */

/* The program has no access to these, so it cannot release them. */
static bool is_private_to_multiprocessing(const char *made)
{
	return pyframe_among(made, "Event", CONTEXT_PY) ||
	       pyframe_among(made, "Queue", CONTEXT_PY) ||
	       pyframe_among(made, "JoinableQueue", CONTEXT_PY) ||
	       pyframe_among(made, "SimpleQueue", CONTEXT_PY) ||
	       cross_process_makes_pool_queue(made);
}

static bool is_recursive(const char *made)
{
	return pyframe_among(made, "RLock", CONTEXT_PY);
}

enum cross_process_verdict cross_process_owner_gone(const struct cross_process_lock *lock,
						    const struct cross_process_claims *claims)
{
	if (lock->value || !claims->held_gone || claims->held_living || claims->handoff ||
	    lock->strangers || (lock->first != 1 && !(lock->first == UINT64_MAX && claims->mutual)))
		return CROSS_NO;
	return lock->all_wait || lock->unhelped || is_recursive(lock->made) ||
			       is_private_to_multiprocessing(lock->made) ?
		       CROSS_PROOF :
		       CROSS_DOUBT;
}

/* Whether it is one of the three semaphores of a condition. */
static bool is_of_condition(const struct cross_process_lock *lock)
{
	return !lock->first && pyframe_among(lock->made, "Semaphore", CONTEXT_PY) &&
	       pyframe_among(lock->made, "__init__", "multiprocessing/synchronize.py") &&
	       pyframe_among(lock->made, "Condition", CONTEXT_PY);
}

enum cross_process_verdict cross_process_waiter_gone(const struct cross_process_lock *sleeping,
						     const struct cross_process_lock *woken,
						     const struct cross_process_lock *wait,
						     const struct cross_process_claims *wait_claims)
{
	if (!is_of_condition(sleeping) || !is_of_condition(woken) || !is_of_condition(wait) ||
	    woken->value || !wait->value || wait->strangers)
		return CROSS_NO;
	return wait_claims->wanted_gone && !wait_claims->wanted_living ? CROSS_PROOF : CROSS_NO;
}

/* ---- pools ---- */

/* A worker that has no more to do, or may retire, ends with status 0; terminate() sends SIGTERM. */
static bool lost_task(const struct cross_process_worker *worker)
{
	return !worker->alive && !worker->in_queue &&
	       (worker->end == MPSAN_END_SIGNAL ?
			worker->end_value != SIGTERM :
			worker->end == MPSAN_END_EXIT && worker->end_value > 0);
}

/* No task and no result is on its way, and the workers wait for tasks. */
static bool is_at_rest(const struct cross_process_pool *pool)
{
	bool empty = false;

	if (pool->pools != 1 || pool->tasks != CROSS_PART_TASKS_IDLE || !pool->tasks_blocked ||
	    pool->results != CROSS_PART_RESULTS_IDLE || !pool->results_blocked)
		return false;
	for (uint32_t i = 0; i < pool->workers; i++) {
		const struct cross_process_worker *worker = &pool->worker[i];

		if (worker->alive && (worker->part != CROSS_PART_WORKER_IDLE || !worker->blocked))
			return false;
		empty |= worker->alive && worker->reads;
	}
	return empty;
}

uint32_t cross_process_worker_lost(const struct cross_process_pool *pool)
{
	uint32_t lost = CROSS_NONE;

	for (uint32_t i = 0; i < pool->workers; i++)
		if (lost_task(&pool->worker[i]) &&
		    (lost == CROSS_NONE || pool->worker[i].end_ns > pool->worker[lost].end_ns))
			lost = i;
	return is_at_rest(pool) ? lost : CROSS_NONE;
}

bool cross_process_worker_replaced(const struct cross_process_pool *pool)
{
	bool replaces = false;

	for (uint32_t i = 0; i < pool->workers; i++)
		replaces |= pool->worker[i].alive && pool->worker[i].replaces;
	return replaces && is_at_rest(pool);
}
