/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread records. They are in the log, where a supervisor can read them; before there is a log, and
 * in a forked child until it has one, the main thread's record is in `nursery`. An index by TID
 * finds a record again, so the successor of a TID reuses the record of an ended thread.
 */
#include "thread.h"

#include <string.h>

#include "../intercept/sys.h"
#include "live_threads.h"
#include "log.h"
#include "modules.h"
#include "state.h"

#define PARCELS 64u

/* full, so that nothing is added */
struct mpsan_thread thread_none = {.holds_used = MPSAN_HOLDS + 1};
TLS struct mpsan_hold hold_nowhere;

STATE static struct mpsan_thread nursery;
uint32_t thread_births;
static uint32_t newest; /* TID; after a fork of nobody, or of another process */

struct thread_parcel {
	uint32_t busy;
	uint32_t creator;
	void *(*start)(void *);
	void *argument;
	uint64_t caller;
	uint64_t python; /* the creator's frames */
};
static struct thread_parcel parcel[PARCELS] LARGE;
STATE static bool parcels_used;

void thread_start_main(void)
{
	nursery.tid = sys_tid();
	nursery.pthread = sys_pthread();
	nursery.start_ns = sys_now();
	thread_hot = &nursery;
	if (log_opened != thread_moved) /* a page that is written here is copied */
		log_opened = thread_moved;
}

/* Clears a predecessor's data from a record, except its claims, which are not in use. */
static void record_clear(struct mpsan_thread *t)
{
	memset(t, 0, offsetof(struct mpsan_thread, hold));
	memset(&t->pool, 0, sizeof(*t) - offsetof(struct mpsan_thread, pool));
	t->hold[0].tag = 0; /* no claim yet, as live_threads.c checks */
}

void thread_forked(const struct mpsan_hold *hold, uint32_t holds)
{
	record_clear(&nursery);
	thread_start_main();
	memcpy(nursery.hold, hold, holds * sizeof(*hold));
	nursery.holds_used = holds;
	for (unsigned i = 0; parcels_used && i < PARCELS; i++)
		if (parcel[i].busy)
			parcel[i].busy = 0;
}

struct thread_pool thread_pool(void)
{
	const struct mpsan_thread *t = thread_hot;

	if (!t || t == &thread_none)
		return (struct thread_pool){0};
	return (struct thread_pool){t->pool, t->pool_team, t->pool_caller, t->pool_held,
				    t->pool_slot};
}

void thread_inherit_pool(const struct thread_pool *pool)
{
	nursery.pool = pool->pool;
	nursery.pool_team = pool->team;
	nursery.pool_caller = pool->caller;
	nursery.pool_held = pool->held;
	nursery.pool_slot = pool->slot;
}

static struct mpsan_thread *record_at(uint32_t units)
{
	const uint64_t bytes = sizeof(struct mpsan_record) + sizeof(struct mpsan_thread);
	struct mpsan_record *r = log_record_at((uint64_t)units * MPSAN_UNIT, bytes);

	return r ? (struct mpsan_thread *)(r + 1) : NULL;
}

bool thread_known(uint32_t tid)
{
	uint32_t *index = log_thread_index(), at = mpsan_thread_place(tid);
	struct mpsan_thread *t = NULL;

	if (nursery.tid == tid)
		return true;
	for (uint32_t i = 0; index && i < MPSAN_THREADS; i++, at = (at + 1) % MPSAN_THREADS) {
		t = record_at(__atomic_load_n(&index[at], __ATOMIC_ACQUIRE));
		if (!t || t->tid == tid)
			break;
	}
	return t && t->tid == tid;
}

/* The index entry for `tid`: its own, a free one, or that of an ended thread. */
static uint32_t *index_place(uint32_t *index, uint32_t tid)
{
	uint32_t at = mpsan_thread_place(tid);

	for (uint32_t i = 0; i < MPSAN_THREADS; i++, at = (at + 1) % MPSAN_THREADS) {
		const struct mpsan_thread *t =
			record_at(__atomic_load_n(&index[at], __ATOMIC_ACQUIRE));

		if (!t || t->tid == tid || !sys_thread_alive(life.pid, t->tid))
			return &index[at];
	}
	return NULL;
}

static struct mpsan_thread *new_record(uint32_t *place, uint32_t tid)
{
	uint64_t position;
	struct mpsan_thread *t = log_reserve(EV_thread, sizeof(*t), &position);

	if (!t)
		return NULL;
	t->tid = tid;
	log_commit(t, EV_thread, sizeof(*t));
	__atomic_store_n(place, (uint32_t)(position / MPSAN_UNIT), __ATOMIC_RELEASE);
	return t;
}

static struct mpsan_thread *find_record(uint32_t tid)
{
	uint32_t *index = log_thread_index(), *place;
	struct mpsan_thread *t;

	if (!index || !(place = index_place(index, tid)))
		return NULL;
	t = record_at(*place);
	if (!t)
		return new_record(place, tid);
	if (t->tid && !live_threads_ended(t))
		EMIT(thread_gone, .thread = t->tid, .start = t->start_ns);
	record_clear(t);
	__atomic_store_n(&t->tid, tid, __ATOMIC_RELEASE);
	return t;
}

/*
 * The calling thread's record. A thread whose start no hook saw, or the first one, gets its record
 * at its first lock.
 */
struct mpsan_thread *thread_attach(void)
{
	struct mpsan_thread *t = thread_hot;

	if (t || (!life.attached && !hook_off))
		return t;
	thread_hot = &thread_none;
	if (hook_off || life_is_guest() || !log_open())
		return thread_hot;
	t = find_record(sys_tid());
	if (!t) {
		log_count(threads_lost);
		return thread_hot;
	}
	t->pthread = sys_pthread();
	t->start_ns = sys_now();
	__atomic_fetch_add(&thread_births, 1, __ATOMIC_RELEASE);
	newest = t->tid;
	sys_threaded = true;
	life_flag(MPSAN_PROCESS_MULTI);
	thread_hot = t;
	return t;
}

/*
 * Drops claims on process-shared semaphores in a child: they were taken once, and belong to the
 * parent. Entries are kept, because a claim may be in progress.
 */
static void forget_shared(struct mpsan_thread *t)
{
	uint32_t word[3];

	for (uint32_t i = 0; life.forked && i < t->holds_used && i < MPSAN_HOLDS; i++)
		if (MPSAN_TAG_KIND(t->hold[i].tag) == MPSAN_LOCK_SEMAPHORE &&
		    !(t->hold[i].tag & MPSAN_TAG_WANTED) &&
		    sys_peek(word, (const void *)(uintptr_t)MPSAN_TAG_ADDRESS(t->hold[i].tag),
			     sizeof(word)) == sizeof(word) &&
		    word[2])
			t->hold[i].tag = 0;
}

/*
 * Moves the record from the nursery to the log. Only its owner can do so: another thread must not
 * change that thread's pointer.
 */
void thread_moved(void)
{
	struct mpsan_thread *t;

	if (thread_hot != &nursery || !nursery.tid)
		return;
	t = find_record(nursery.tid);
	if (!t)
		return;
	forget_shared(&nursery);
	memcpy(t, &nursery, sizeof(*t));
	thread_hot = t;
	nursery.tid = 0;
}

/* Once per process: afterwards the record is in the log. */
void thread_publish(void)
{
	if (LIKELY(thread_hot != &nursery) || hook_off || !life.attached || life_is_guest())
		return;
	GUARDED {
		if (log_open())
			thread_moved();
	}
}

void thread_show(void)
{
	static bool shown;

	thread_publish();
	if (__atomic_load_n(&shown, __ATOMIC_RELAXED) || thread_hot == &nursery || hook_off ||
	    life_is_guest())
		return;
	GUARDED {
		modules_update();
	}
	__atomic_store_n(&shown, true, __ATOMIC_RELAXED);
}

void thread_each(void (*see)(struct mpsan_thread *, void *), void *context)
{
	uint32_t *index = log_thread_index();

	if (nursery.tid)
		see(&nursery, context);
	for (uint32_t i = 0; index && i < MPSAN_THREADS; i++) {
		struct mpsan_thread *t = record_at(__atomic_load_n(&index[i], __ATOMIC_ACQUIRE));

		if (t)
			see(t, context);
	}
}

bool thread_has_company(void)
{
	return newest && newest != thread_tid() && sys_thread_alive(life.pid, newest);
}

struct thread_parcel *thread_pack(void *(*start)(void *), void *argument, uint64_t caller)
{
	if (!life_may_state() || !log_open())
		return NULL;
	modules_update(); /* from now on waits matter, and whether they are in Python */
	parcels_used = true;
	for (unsigned i = 0; i < PARCELS; i++) {
		uint32_t expected = 0;

		if (parcel[i].busy ||
		    !__atomic_compare_exchange_n(&parcel[i].busy, &expected, 1, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		parcel[i].start = start;
		parcel[i].argument = argument;
		parcel[i].caller = caller;
		parcel[i].creator = thread_tid();
		parcel[i].python = 0;
		return &parcel[i];
	}
	return NULL;
}

void thread_came_from(struct thread_parcel *p, uint64_t python)
{
	p->python = python;
}

void thread_unpack(struct thread_parcel *p)
{
	if (p)
		__atomic_store_n(&p->busy, 0, __ATOMIC_RELEASE);
}

/* Called by arch_thread_start on the new thread, before any code of the program runs there. */
void *thread_begin(struct thread_parcel *p, void **argument);
void *thread_begin(struct thread_parcel *p, void **argument)
{
	struct thread_parcel copy = *p;
	struct mpsan_thread *t;

	thread_unpack(p);
	t = thread_attach();
	if (t && t != &thread_none) {
		t->entry = (uint64_t)(uintptr_t)copy.start;
		t->creator = copy.creator;
		t->creator_caller = copy.caller;
		EMIT(thread_start, .entry = t->entry, .creator = copy.creator,
		     .creator_caller = copy.caller, .start = t->start_ns, .python = copy.python);
	}
	*argument = copy.argument;
	return (void *)(uintptr_t)copy.start;
}

/* Detaches the record: without one, a thread's locks are not recorded. */
void thread_ignore(bool begin)
{
	static TLS struct mpsan_thread *aside;
	static TLS unsigned depth;

	if (begin && !depth++) {
		aside = thread_hot ? thread_hot : thread_attach();
		thread_hot = &thread_none;
	} else if (!begin && depth && !--depth) {
		thread_hot = aside;
	}
}

static bool still_held(const struct mpsan_hold *hold, uint32_t tid)
{
	unsigned kind = MPSAN_TAG_KIND(hold->tag);
	int word[4];

	if (kind != MPSAN_LOCK_MUTEX &&
	    (kind != MPSAN_LOCK_SEMAPHORE || hold->tag & MPSAN_TAG_WANTED))
		return true;
	if (sys_peek(word, (const void *)(uintptr_t)MPSAN_TAG_ADDRESS(hold->tag), sizeof(word)) !=
	    sizeof(word))
		return false;
	return kind == MPSAN_LOCK_MUTEX ? word[0] && (uint32_t)word[2] == tid : !word[0];
}

/* Whether a thread uses a semaphore as a counter: it takes it twice, as multiprocessing.Queue does at each put(). */
static bool is_counted(const struct mpsan_thread *t, uint32_t claim)
{
	for (uint32_t i = claim + 1; i < MPSAN_HOLDS; i++)
		if (t->hold[i].tag == t->hold[claim].tag &&
		    MPSAN_TAG_KIND(t->hold[i].tag) == MPSAN_LOCK_SEMAPHORE)
			return true;
	return false;
}

/*
 * Drops claims that memory refutes from a full list: siglongjmp or another thread's post may have
 * left them.
 */
static void drop_stale(struct mpsan_thread *t)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < MPSAN_HOLDS; i++)
		if (t->hold[i].tag && !is_counted(t, i) && still_held(&t->hold[i], t->tid))
			t->hold[kept++] = t->hold[i];
	t->holds_used = kept;
}

struct mpsan_hold *hold_push_slow(uint64_t tag, uint64_t caller)
{
	struct mpsan_thread *t = thread_hot ? thread_hot : thread_attach();
	uint32_t n;

	if (!t || t == &thread_none)
		return &hold_nowhere;
	if (holds_of(t) == MPSAN_HOLDS && !hook_off)
		drop_stale(t);
	n = holds_of(t);
	if (n == MPSAN_HOLDS) {
		log_count(holds_lost);
		return &hold_nowhere;
	}
	t->hold[n] = (struct mpsan_hold){tag, caller};
	t->holds_used = n + 1;
	return &t->hold[n];
}

struct mpsan_hold *hold_now(struct mpsan_hold *hold)
{
	uint64_t i = (uint64_t)(hold - nursery.hold);

	return i < MPSAN_HOLDS && thread_hot != &nursery && !nursery.tid ? &thread_hot->hold[i] :
									   hold;
}

int hold_cancel(struct mpsan_hold *hold, const void *lock, unsigned kind, int result)
{
	if (result == EOWNERDEAD)
		hold_commit(hold, lock, kind);
	else
		hold_pop(lock);
	return result;
}

int hold_hand_over(void *lock, int (*real)(void *))
{
	bool known = lock_hint_flags(lock) & MPSAN_LF_HANDOFF;
	int result;

	lock_hint_learn(lock, MPSAN_LF_HANDOFF);
	result = real(lock);
	if (result && !known)
		lock_hint_unlearn(lock, MPSAN_LF_HANDOFF);
	return result;
}

#define WATCHED 0xffull

static void keep_at_most(struct mpsan_thread *t, uint64_t left)
{
	t->tried.tag = MPSAN_TRIED_WHAT(t->tried.tag) | left << 56;
}

void thread_gives_up(struct mpsan_thread *t, uint32_t left)
{
	bool watched = MPSAN_TRIED_HELD(t->tried.tag) == WATCHED;

	keep_at_most(t, left);
	if (!watched)
		return;
	GUARDED {
	}
	if (guard_next)
		thread_watch_releases();
}

void thread_watch_releases(void)
{
	struct mpsan_thread *t = thread_hot;

	if (t && t != &thread_none)
		keep_at_most(t, WATCHED);
}

/* Removes a claim. Locks are released in any order: later claims move down. */
bool hold_remove(uint64_t address)
{
	struct mpsan_thread *t = thread_hot;
	uint32_t n = t && t != &thread_none ? holds_of(t) : 0, i = n;

	while (i && MPSAN_TAG_ADDRESS(t->hold[i - 1].tag) != address)
		i--;
	if (!i)
		return false;
	for (uint32_t later = i; later < n; later++)
		t->hold[later - 1] = t->hold[later];
	t->holds_used = n - 1;
	if (i <= MPSAN_TRIED_HELD(t->tried.tag))
		thread_gives_up(t, i - 1);
	return true;
}

const struct mpsan_hold *hold_find(const void *lock)
{
	const struct mpsan_thread *t = thread_hot;
	uint32_t n = t && t != &thread_none ? holds_of(t) : 0;

	for (uint32_t i = 0; i < n; i++)
		if (MPSAN_TAG_ADDRESS(t->hold[i].tag) == (uint64_t)(uintptr_t)lock &&
		    !(t->hold[i].tag & MPSAN_TAG_WANTED))
			return &t->hold[i];
	return NULL;
}

void hold_pop_newest(unsigned kind)
{
	struct mpsan_thread *t = thread_hot;
	uint32_t i = t && t != &thread_none ? holds_of(t) : 0;

	while (i && MPSAN_TAG_KIND(t->hold[i - 1].tag) != kind)
		i--;
	if (i)
		hold_remove(MPSAN_TAG_ADDRESS(t->hold[i - 1].tag));
}

void thread_tried(const void *object, unsigned kind, uint64_t caller)
{
	struct mpsan_thread *t = thread_hot;
	uint64_t before, tag, times;
	bool again;

	if (!t || t == &thread_none || t->holds_used > MPSAN_HOLDS)
		return;
	before = t->tried.tag;
	tag = MPSAN_TRIED(object, kind, t->holds_used);
	again = MPSAN_TRIED_WHAT(before) == MPSAN_TRIED_WHAT(tag);
	times = again ? MPSAN_TRIED_TIMES(t->tried.caller) + 1 : 1;
	t->tried = (struct mpsan_hold){again && before < tag ? before : tag,
				       MPSAN_TAG_ADDRESS(caller) | times << 48};
}
