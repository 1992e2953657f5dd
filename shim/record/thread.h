/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of threads and the locks they hold. The hot path of every lock hook is below: a few
 * stores into the thread's own record, no atomic, no branch taken, and for mutexes a tail call to
 * the real function.
 *
 * A claim is written before the real call, marked as wanted when that call may wait, and confirmed
 * after it, so that at any moment another thread, or a supervisor, sees what this one holds and
 * what it waits for. Claims are hints: longjmp, cancellation, foreign unlocks and lost races leave
 * false ones behind, so memory is asked before anybody is told.
 */
#ifndef MPSAN_THREAD_H
#define MPSAN_THREAD_H

#include <stddef.h>

#include "../../include/mpsan_log.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "lock_hints.h"
#include "state.h"

extern struct mpsan_thread thread_none;

/*
 * This process has, or had, more than one thread. Hooks that matter only to a fork by another
 * thread do nothing before.
 */
extern bool thread_several;

struct mpsan_thread *thread_attach(void);
void thread_start_main(void);
/* True when a thread of this process has a record under this TID; it may have ended since. */
bool thread_known(uint32_t tid);

/* After a fork: the record of the only thread, with `holds` claims copied from `hold`. */
void thread_forked(const struct mpsan_hold *hold, uint32_t holds);

/*
 * What is known of the calling thread's OpenMP pool, taken before a fork and given to the child's
 * only thread: its books are copied.
 */
struct thread_pool {
	uint64_t pool, team, caller, held, slot;
};
struct thread_pool thread_pool(void);
void thread_inherit_pool(const struct thread_pool *pool);

/* The log was opened: records move there. */
void thread_moved(void);

/*
 * The calling thread's record is to outlive the process: opens the log for it. A claim that is
 * under way moves, too, so this comes before it.
 */
void thread_publish(void);

/* Nothing that the calling thread does is noted between true and false; pairs nest. */
void thread_ignore(bool begin);

/* Calls `see` for every thread's record; threads may begin and end meanwhile. */
void thread_each(void (*see)(struct mpsan_thread *, void *), void *context);

/*
 * A start routine on its way into a new thread; NULL: too many at once, that thread registers
 * itself later.
 */
struct thread_parcel;
struct thread_parcel *thread_pack(void *(*start)(void *), void *argument, uint64_t caller);
void thread_unpack(struct thread_parcel *parcel);
/* In arch/: takes a parcel, registers the thread, becomes its start routine. */
void *arch_thread_start(void *parcel);

/* Claims that found no room, or no record, land here. */
extern TLS struct mpsan_hold hold_nowhere;
struct mpsan_hold *hold_push_slow(uint64_t tag, uint64_t caller);
bool hold_remove(uint64_t address);
void hold_pop_newest(unsigned kind);
/* The calling thread's claim on a lock that it does not merely want, NULL: none. */
const struct mpsan_hold *hold_find(const void *lock);

static inline struct mpsan_hold *hold_push_tag(uint64_t tag, uint64_t caller)
{
	struct mpsan_thread *t = thread_hot;
	uint32_t n;

	if (UNLIKELY(!t || t->holds_used >= MPSAN_HOLDS))
		return t == &thread_none ? &hold_nowhere : hold_push_slow(tag, caller);
	/*
	 * Counted before it is written: a signal handler that locks and unlocks in between works
	 * above it.
	 */
	n = t->holds_used;
	t->holds_used = n + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->hold[n].tag = tag;
	t->hold[n].caller = caller;
	return &t->hold[n];
}

/* Before a call that may wait; hold_commit_or_cancel settles it. */
static inline struct mpsan_hold *hold_push_wanted(const void *lock, unsigned kind, uint64_t caller)
{
	return hold_push_tag(MPSAN_TAG(lock, kind) | MPSAN_TAG_WANTED, caller);
}

/* The same before a call that gives up by itself: a supervisor has nothing to fear from it. */
static inline struct mpsan_hold *hold_push_timed(const void *lock, unsigned kind, uint64_t caller)
{
	return hold_push_tag(MPSAN_TAG(lock, kind) | MPSAN_TAG_WANTED | MPSAN_TAG_TIMED, caller);
}

/*
 * Before a call that finds the lock free. Should another thread be faster, memory will deny the
 * claim.
 */
static inline struct mpsan_hold *hold_push(const void *lock, unsigned kind, uint64_t caller)
{
	return hold_push_tag(MPSAN_TAG(lock, kind), caller);
}

static inline void hold_commit(struct mpsan_hold *hold, const void *lock, unsigned kind)
{
	hold->tag = MPSAN_TAG(lock, kind);
}

/* Where a claim is now, should the record have moved since it was made. */
struct mpsan_hold *hold_now(struct mpsan_hold *hold);

/*
 * Takes back the newest claim on a lock, or any older one; false when this thread has none. Where the
 * library is switched off, nobody has claims, and nothing follows from that.
 */
static inline bool hold_pop(const void *lock)
{
	struct mpsan_thread *t = thread_hot;
	uint32_t n;

	if (UNLIKELY(!t))
		return false;
	n = t->holds_used;
	if (UNLIKELY(!n || n > MPSAN_HOLDS ||
		     MPSAN_TAG_ADDRESS(t->hold[n - 1].tag) != (uint64_t)(uintptr_t)lock))
		return (t == &thread_none && hook_off) || hold_remove((uint64_t)(uintptr_t)lock);
	t->holds_used = n - 1;
	return true;
}

/*
 * The call did not succeed, or did so with news: EOWNERDEAD hands the lock over. Passes `result`
 * through.
 */
int hold_cancel(struct mpsan_hold *hold, const void *lock, unsigned kind, int result);

/* The same for an unlock: a lock that another thread took was handed over, and that is remembered. */
static inline void hold_release(const void *lock)
{
	if (UNLIKELY(!hold_pop(lock)))
		lock_hint_learn(lock, MPSAN_LF_HANDOFF);
}

/*
 * The same where the call may refuse (EPERM), for a lock on which this thread has no claim: learned before the call,
 * since the next owner may be judged before it is back, and forgotten when it fails.
 */
int hold_hand_over(void *lock, int (*real)(void *));

/* For a claim that was no mere wish: only a failure takes it back. */
static inline int hold_keep_or_cancel(struct mpsan_hold *hold, const void *lock, unsigned kind,
				      int result)
{
	return UNLIKELY(result) ? hold_cancel(hold, lock, kind, result) : 0;
}

static inline int hold_commit_or_cancel(struct mpsan_hold *hold, const void *lock, unsigned kind,
					int result)
{
	if (UNLIKELY(result))
		return hold_cancel(hold, lock, kind, result);
	hold_commit(hold, lock, kind);
	return 0;
}

/* Around a call that blocks, on slow paths alone: since when, for who looks from outside. */
static inline void thread_waits(bool begin)
{
	struct mpsan_thread *t = thread_hot;

	if (t)
		t->wait_ns = begin ? sys_now() : 0;
}

/* For try forms: a claim only after success, since they never wait. */
static inline int hold_try(const void *lock, unsigned kind, uint64_t caller, int result)
{
	if (result == 0 || result == EOWNERDEAD)
		hold_push(lock, kind, caller);
	return result;
}

#endif
