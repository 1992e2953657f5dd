/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records the order in which locks are taken. A lock counts as taken behind another in a blocking
 * call, because only that can deadlock; and in the interpreter's sem_trywait, because a Python lock
 * is tried before it is waited for. A semaphore counts if it is empty once taken, and as long as it
 * is posted only by its takers; whether its taker posts it is not known the first time, and
 * recorded as such.
 */
#include "lock_order.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>

#include "../intercept/hook.h"
#include "../python/python.h"
#include "../record/lock_hints.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/setting.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "claim.h"
#include "lock_order_edges.h"
#include "lock_order_python.h"

#define SEEN_MAX 12u /* claims checked for one pair */
#define TAG_LOCK(tag) ((tag)&0x7fffffffffffffull) /* address and kind */

/* A lock that was just taken, or is about to be. */
struct taking {
	const struct mpsan_thread *thread;
	const void *lock;
	uint64_t caller;
	uint32_t kind;
	uint32_t others; /* claims below it */
	uint32_t flags; /* enum mpsan_lock_flags */
	uint32_t gates; /* hash of all others that exclude each other */
	bool tried;
};

static uint32_t gate_hash(uint64_t tag)
{
	return (uint32_t)(MPSAN_TAG_ADDRESS(tag) * 0x9e3779b97f4a7c15ull >> 32);
}

/*
 * Whether a claim is a gate: a lock that only one thread can hold, and so serialises what is done
 * under it.
 */
static bool is_gate(uint64_t tag)
{
	unsigned kind = MPSAN_TAG_KIND(tag);

	return !(tag & MPSAN_TAG_WANTED) && mpsan_kind_is_lock(kind) &&
	       kind != MPSAN_LOCK_RWLOCK_READ && kind != MPSAN_LOCK_LIBC;
}

static bool is_first(uint64_t tag)
{
	unsigned kind = MPSAN_TAG_KIND(tag);

	return !(tag & MPSAN_TAG_WANTED) && kind >= MPSAN_LOCK_MUTEX &&
	       (kind <= MPSAN_LOCK_SEMAPHORE || kind == MPSAN_LOCK_PYTHON) &&
	       !(lock_hint_flags((const void *)(uintptr_t)MPSAN_TAG_ADDRESS(tag)) &
		 MPSAN_LF_HANDOFF);
}

/* Whether it is known to serve as a lock: a semaphore or Lock of Python's that its taker has released. */
static bool is_sure(uint64_t tag)
{
	unsigned kind = MPSAN_TAG_KIND(tag);

	return (kind != MPSAN_LOCK_SEMAPHORE && kind != MPSAN_LOCK_PYTHON) ||
	       lock_hint_flags((const void *)(uintptr_t)MPSAN_TAG_ADDRESS(tag)) & MPSAN_LF_MUTUAL;
}

static struct pair pair_of(const struct taking *taking, uint64_t first)
{
	struct pair pair = {
		.first = TAG_LOCK(first),
		.second = MPSAN_TAG(taking->lock, taking->kind),
		.tid = taking->thread->tid,
		.gates = taking->gates - (is_gate(first) ? gate_hash(first) : 0),
	};

	if (taking->tried)
		pair.second |= PAIR_TRIED;
	if (!is_sure(first) || !is_sure(pair.second))
		pair.second |= PAIR_UNSURE;
	return pair;
}

/* Fills in the first claim and the gates, checked against memory. Returns how many. */
static uint32_t ask_memory(const struct taking *taking, uint32_t first, struct claim *claim,
			   uint64_t *gates_more)
{
	const struct mpsan_thread *t = taking->thread;
	uint32_t count = 1;

	claim[0] = (struct claim){
		.tag = t->hold[first].tag, .caller = t->hold[first].caller, .tid = t->tid};
	*gates_more = 0;
	for (uint32_t i = 0; i < taking->others; i++) {
		uint64_t tag = t->hold[i].tag;

		if (i == first || !is_gate(tag))
			continue;
		if (count < SEEN_MAX)
			claim[count++] = (struct claim){.tag = tag, .tid = t->tid};
		else
			*gates_more |= mpsan_gate_bit(MPSAN_TAG_ADDRESS(tag));
	}
	claims_verify(claim, count);
	return count;
}

/* Stores three gates by address, the rest as a sum that errs on the side of silence. */
static void put_gates(struct ev_order *ev, const struct claim *claim, uint32_t count)
{
	uint64_t *const named[] = {&ev->gate, &ev->gate2, &ev->gate3};
	uint32_t n = 0;

	for (uint32_t i = 1; i < count; i++) {
		uint64_t address = MPSAN_TAG_ADDRESS(claim[i].tag);

		if (!(claim[i].flags & MPSAN_LF_VERIFIED) || (claim[i].flags & MPSAN_LF_HANDOFF))
			continue;
		if (n < sizeof(named) / sizeof(*named))
			*named[n++] = address;
		else
			ev->gates_more |= mpsan_gate_bit(address);
	}
}

static void tell_full(void)
{
	if (order_edges_tell_full())
		EMIT(limit,
		     .what = log_text("lock orders not followed because there were too many pairs"),
		     .count = 1);
}

/*
 * Whether no other pair of this path was recorded. Programs create locks by the thousand for one
 * use, Python conditions among them: while their use is unknown, one of them stands for all taken
 * at the same call site. Once there are very many pairs, the same holds for any locks, which would
 * otherwise fill the log.
 */
static bool is_new_path(const struct taking *taking, const struct pair *pair,
			const struct claim *claim)
{
	uint64_t frames = stack_python(0), place = frames ? frames : claim->caller ^ taking->caller;
	bool many = order_edges_many();
	struct pair path = {
		.first = !many && is_sure(pair->first) ? pair->first : PAIR_PATH,
		.second = (!many && is_sure(pair->second) ? pair->second : 0) | PAIR_PATH,
		.gates = (uint32_t)(place * 0x9e3779b97f4a7c15ull >> 32),
	};

	return order_edges_add(&path) == PAIRS_NEW;
}

/*
 * Whether it is one of the interpreter's locks: a semaphore in Python that is not process-shared.
 */
static bool is_pythons(const struct taking *taking)
{
	const uint32_t *word = taking->lock;

	if (taking->kind == MPSAN_LOCK_PYTHON)
		return true;
	if (taking->kind != MPSAN_LOCK_SEMAPHORE || word[2])
		return false;
	return taking->tried || modules_is_python(taking->caller);
}

/* Ignores this pair from now on. */
static void keep_quiet(const struct pair *pair)
{
	struct pair quiet = *pair;

	quiet.tid = PAIR_QUIET;
	if (order_edges_add(&quiet) == PAIRS_FULL)
		tell_full();
}

/*
 * Whether it is a mutex of the interpreter's GIL, taken at every switch and never followed by
 * another.
 */
static bool is_inner(const struct taking *taking)
{
	return taking->kind == MPSAN_LOCK_MUTEX && modules_is_python(taking->caller);
}

static void state_pair(const struct taking *taking, const struct pair *pair, struct ev_order *ev,
		       const struct claim *claim, uint32_t count)
{
	enum order_edges_news news;

	if ((pair->second & PAIR_UNSURE || order_edges_many()) &&
	    !is_new_path(taking, pair, claim)) {
		keep_quiet(pair);
		return;
	}
	ev->stack = stack_own(); /* also looks for Python */
	if (is_inner(taking))
		return;
	if (taking->tried && !python_present()) {
		keep_quiet(pair);
		return;
	}
	ev->python = stack_python(0);
	news = order_edges_add(pair);
	if (news == PAIRS_FULL)
		tell_full();
	if (news != PAIRS_NEW)
		return;
	ev->first = MPSAN_TAG_ADDRESS(claim->tag);
	ev->first_kind = MPSAN_TAG_KIND(claim->tag);
	ev->first_flags = claim->flags;
	ev->first_caller = claim->caller;
	ev->first_init = lock_hint_init_site(claim_lock(claim));
	ev->second = (uint64_t)(uintptr_t)taking->lock;
	ev->second_kind = taking->kind;
	ev->second_flags = taking->flags | (is_pythons(taking) ? MPSAN_LF_PYTHON : 0);
	ev->second_caller = taking->caller;
	ev->second_init = lock_hint_init_site(taking->lock);
	put_gates(ev, claim, count);
	log_append(EV_order, ev, sizeof(*ev));
}

static NOINLINE void new_pair(const struct taking *taking, const struct pair *pair, uint32_t first)
{
	struct claim claim[SEEN_MAX];
	struct ev_order ev = {0};
	uint32_t count;

	if (hook_off || life_is_guest())
		return;
	GUARDED {
		count = ask_memory(taking, first, claim, &ev.gates_more);
		if (claim->flags & MPSAN_LF_VERIFIED)
			state_pair(taking, pair, &ev, claim, count);
		else
			keep_quiet(pair);
	}
}

/* Whether it counts as a lock: a semaphore that is not empty after it was taken is a counter. */
static bool counts_as_lock(struct taking *taking)
{
	taking->flags = lock_hint_flags(taking->lock);
	if (taking->flags & MPSAN_LF_HANDOFF)
		return false;
	if (taking->kind == MPSAN_LOCK_PYTHON)
		return *(const uint8_t *)taking->lock & CPYTHON_MUTEX_LOCKED;
	return taking->kind != MPSAN_LOCK_SEMAPHORE || *(const uint32_t *)taking->lock == 0;
}

/*
 * Checks a lock against those claimed below it. The claim on the lock itself is the newest one,
 * except in a try call, which has none before success.
 */
static bool prove_below(struct taking *taking)
{
	const struct mpsan_thread *t = taking->thread;
	uint32_t n = holds_of(t);

	if (t == &thread_none)
		return false;
	if (!taking->tried) {
		if (!n-- || MPSAN_TAG_ADDRESS(t->hold[n].tag) != (uint64_t)(uintptr_t)taking->lock)
			return false;
		taking->caller = t->hold[n].caller;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t tag = t->hold[i].tag;

		if (MPSAN_TAG_ADDRESS(tag) == (uint64_t)(uintptr_t)taking->lock)
			return false; /* it already holds it and does not wait */
		if (is_gate(tag))
			taking->gates += gate_hash(tag);
	}
	taking->others = n;
	return n > 0;
}

/*
 * Follows the thread's record: the first event of a process opens its log, and the record moves
 * there. A hook that is waiting to confirm its claim would otherwise do so in the old place.
 */
static void follow_record(struct taking *taking)
{
	uint32_t own = taking->others;

	if (LIKELY(thread_hot == taking->thread))
		return;
	taking->thread = thread_hot;
	if (!taking->tried && own < holds_of(thread_hot) &&
	    MPSAN_TAG_ADDRESS(thread_hot->hold[own].tag) == (uint64_t)(uintptr_t)taking->lock)
		thread_hot->hold[own].tag &= ~MPSAN_TAG_WANTED;
}

static NOINLINE void take_nested(const void *lock, unsigned kind, bool tried)
{
	struct taking taking = {.thread = thread_hot, .lock = lock, .kind = kind, .tried = tried};

	if (!prove_below(&taking) || !counts_as_lock(&taking) || is_inner(&taking))
		return;
	for (uint32_t i = 0; i < taking.others; i++) {
		struct pair pair;

		if (!is_first(taking.thread->hold[i].tag))
			continue;
		pair = pair_of(&taking, taking.thread->hold[i].tag);
		if (LIKELY(order_edges_has(&pair)))
			continue;
		new_pair(&taking, &pair, i);
		follow_record(&taking);
	}
}

static void lock_order_forget(const void *lock)
{
	if (LIKELY(!order_edges_forget(lock)))
		return;
	GUARDED
		EMIT(lock_gone, .lock = (uint64_t)(uintptr_t)lock);
}

/* The next definition, while the hooks' table refers to the functions below. */
#define NEXT(name) ((__typeof__(&name))hook_next[HOOK_##name])

/* The newest `own` claims belong to the lock itself. */
static inline void lock_order_take(const void *lock, unsigned kind, uint32_t own)
{
	if (UNLIKELY(thread_hot && thread_hot->holds_used > own))
		take_nested(lock, kind, !own);
}

#define TAKES(name, type, kind)                                          \
	static int order_##name(type *lock)                              \
	{                                                                \
		lock_order_take((const void *)(uintptr_t)lock, kind, 1); \
		return NEXT(name)(lock);                                 \
	}
TAKES(pthread_mutex_lock, pthread_mutex_t, MPSAN_LOCK_MUTEX)
TAKES(pthread_rwlock_rdlock, pthread_rwlock_t, MPSAN_LOCK_RWLOCK_READ)
TAKES(pthread_rwlock_wrlock, pthread_rwlock_t, MPSAN_LOCK_RWLOCK_WRITE)
TAKES(pthread_spin_lock, pthread_spinlock_t, MPSAN_LOCK_SPIN)
TAKES(mtx_lock, mtx_t, MPSAN_LOCK_MUTEX)

/* Whether a semaphore is a lock shows only after it was taken. */
#define TAKES_SEMAPHORE(name, own)                                        \
	static int order_##name(sem_t *lock)                              \
	{                                                                 \
		int result = NEXT(name)(lock);                            \
                                                                          \
		if (!result)                                              \
			lock_order_take(lock, MPSAN_LOCK_SEMAPHORE, own); \
		return result;                                            \
	}
TAKES_SEMAPHORE(sem_wait, 1)
TAKES_SEMAPHORE(sem_trywait, 0)

/* Drops the recorded orders of an address at which a lock is initialised or destroyed. */
#define ENDS(name, parameters, arguments)                      \
	static int order_##name parameters                     \
	{                                                      \
		lock_order_forget((const void *)(uintptr_t)l); \
		return NEXT(name) arguments;                   \
	}
ENDS(pthread_mutex_init, (pthread_mutex_t * l, const pthread_mutexattr_t *a), (l, a))
ENDS(pthread_mutex_destroy, (pthread_mutex_t * l), (l))
ENDS(pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *a), (l, a))
ENDS(pthread_rwlock_destroy, (pthread_rwlock_t * l), (l))
ENDS(pthread_spin_init, (pthread_spinlock_t * l, int shared), (l, shared))
ENDS(pthread_spin_destroy, (pthread_spinlock_t * l), (l))
ENDS(mtx_init, (mtx_t * l, int type), (l, type))
ENDS(sem_init, (sem_t * l, int shared, unsigned value), (l, shared, value))
ENDS(sem_destroy, (sem_t * l), (l))
ENDS(sem_close, (sem_t * l), (l))

static void order_mtx_destroy(mtx_t *l)
{
	lock_order_forget(l);
	NEXT(mtx_destroy)(l);
}

static void took_python(const void *lock)
{
	lock_order_take(lock, MPSAN_LOCK_PYTHON, 1);
}

/* Before a program has threads, orders do not count, and Python is not ready. */
static int order_pthread_create(pthread_t *thread, const pthread_attr_t *a, void *(*start)(void *),
				void *argument)
{
	order_python_start((struct order_python){took_python, lock_order_forget});
	return NEXT(pthread_create)(thread, a, start, argument);
}

#define PUT_BETWEEN(name) (hook_resolve(HOOK_##name), hook_real[HOOK_##name] = (void *)order_##name)

void lock_order_start(void)
{
	char value[8];

	if (!setting("lock-order", value, sizeof(value)) || !text_equal(value, "yes"))
		return;
	PUT_BETWEEN(pthread_create);
	PUT_BETWEEN(pthread_mutex_init);
	PUT_BETWEEN(pthread_mutex_destroy);
	PUT_BETWEEN(pthread_mutex_lock);
	PUT_BETWEEN(pthread_rwlock_init);
	PUT_BETWEEN(pthread_rwlock_destroy);
	PUT_BETWEEN(pthread_rwlock_rdlock);
	PUT_BETWEEN(pthread_rwlock_wrlock);
	PUT_BETWEEN(pthread_spin_init);
	PUT_BETWEEN(pthread_spin_destroy);
	PUT_BETWEEN(pthread_spin_lock);
	PUT_BETWEEN(mtx_init);
	PUT_BETWEEN(mtx_destroy);
	PUT_BETWEEN(mtx_lock);
	PUT_BETWEEN(sem_init);
	PUT_BETWEEN(sem_destroy);
	PUT_BETWEEN(sem_close);
	PUT_BETWEEN(sem_wait);
	PUT_BETWEEN(sem_trywait);
}
