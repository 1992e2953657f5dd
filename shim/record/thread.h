/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of threads and the locks they hold. The hot path of every lock hook is below: a few
 * stores into the thread's own record, no atomic, no branch taken, and for mutexes a tail call to
 * the real function.
 *
 * A claim is written before the real call, marked as wanted if that call may wait, and confirmed
 * after it. So another thread, or a supervisor, sees at any time what this one holds and waits for.
 * Claims are hints: longjmp, cancellation, unlocks by other threads and lost races leave false ones
 * behind, so the lock's memory is checked before anything is reported.
 */
#pragma once

#include <stddef.h>

#include "../../include/mpsan_log.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "lock_hints.h"
#include "state.h"

extern HIDDEN struct mpsan_thread thread_none;

struct mpsan_thread *thread_attach(void);
/* Whether the newest thread, and not the calling one, lives: costs less than to count them all. */
bool thread_has_company(void);
/* How many records threads have got; one that has ended leaves its own. */
extern uint32_t thread_births;
void thread_start_main(void);
/* Whether this process has a record for this TID; its thread may have ended since. */
bool thread_known(uint32_t tid);

/* After a fork: sets up the record of the only thread, with `holds` claims copied from `hold`. */
void thread_forked(const struct mpsan_hold *hold, uint32_t holds);

/*
 * The calling thread's OpenMP pool, saved before a fork and restored for the child's only thread,
 * which inherits its bookkeeping.
 */
struct thread_pool {
	uint64_t pool, team, caller, held, slot;
};
struct thread_pool thread_pool(void);
void thread_inherit_pool(const struct thread_pool *pool);

/* The log was opened: moves the records there. */
void thread_moved(void);

/*
 * Makes the calling thread's record outlive the process: opens the log for it. Call it before a
 * claim, because a claim in progress moves, too.
 */
void thread_publish(void);
/* As thread_publish; also, once, records whether the process runs Python, if nothing has so far. */
void thread_show(void);

/* Between true and false nothing that the calling thread does is recorded; calls nest. */
void thread_ignore(bool begin);

/* Calls `see` for every thread's record; threads may start and end meanwhile. */
void thread_each(void (*see)(struct mpsan_thread *, void *), void *context);

/*
 * Passes a start routine to a new thread; NULL: too many at once, and that thread registers itself
 * later.
 */
struct thread_parcel;
struct thread_parcel *thread_pack(void *(*start)(void *), void *argument, uint64_t caller);
void thread_unpack(struct thread_parcel *parcel);
/* The Python frames of its creator: the position of their text. */
void thread_came_from(struct thread_parcel *parcel, uint64_t python);
/* In arch/: takes a parcel, registers the thread, jumps to its start routine. */
void *arch_thread_start(void *parcel);

/* The target of claims without room or without a record. */
extern TLS struct mpsan_hold hold_nowhere;
struct mpsan_hold *hold_push_slow(uint64_t tag, uint64_t caller);
bool hold_remove(uint64_t address);
void hold_pop_newest(unsigned kind);
/* The calling thread's claim on a lock that it has, not only wants; NULL: none. */
const struct mpsan_hold *hold_find(const void *lock);

/* How many claims its record has. It lies in a file, which others may have spoilt: read once, and limited. */
static inline uint32_t holds_of(const struct mpsan_thread *t)
{
	uint32_t n = __atomic_load_n(&t->holds_used, __ATOMIC_RELAXED);

	return n < MPSAN_HOLDS ? n : MPSAN_HOLDS;
}

/* NULL: this thread has no room, or no record yet. */
static inline struct mpsan_hold *hold_place(uint64_t tag, uint64_t caller)
{
	struct mpsan_thread *t = thread_hot;
	uint32_t n;

	if (UNLIKELY(!t || (n = __atomic_load_n(&t->holds_used, __ATOMIC_RELAXED)) >= MPSAN_HOLDS))
		return NULL;
	/*
	 * Counted before it is written: a signal handler that locks and unlocks meanwhile works
	 * above it.
	 */
	t->holds_used = n + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->hold[n].tag = tag;
	t->hold[n].caller = caller;
	return &t->hold[n];
}

static inline struct mpsan_hold *hold_push_tag(uint64_t tag, uint64_t caller)
{
	struct mpsan_hold *hold = hold_place(tag, caller);

	if (LIKELY(hold))
		return hold;
	return thread_hot == &thread_none ? &hold_nowhere : hold_push_slow(tag, caller);
}

/* Before a call that may wait; hold_commit_or_cancel completes it. */
static inline struct mpsan_hold *hold_push_wanted(const void *lock, unsigned kind, uint64_t caller)
{
	return hold_push_tag(MPSAN_TAG(lock, kind) | MPSAN_TAG_WANTED, caller);
}

/* Before a call with a time limit: a supervisor need not examine that wait. */
static inline struct mpsan_hold *hold_push_timed(const void *lock, unsigned kind, uint64_t caller)
{
	return hold_push_tag(MPSAN_TAG(lock, kind) | MPSAN_TAG_WANTED | MPSAN_TAG_TIMED, caller);
}

/*
 * Before a call that finds the lock free. If another thread is faster, the lock's memory refutes
 * the claim.
 */
static inline struct mpsan_hold *hold_push(const void *lock, unsigned kind, uint64_t caller)
{
	return hold_push_tag(MPSAN_TAG(lock, kind), caller);
}

/*
 * As hold_push, if that needs no call: a hook that does the rest elsewhere needs no stack frame. False: nothing was
 * done.
 */
static inline bool hold_put(const void *lock, unsigned kind, uint64_t caller)
{
	return hold_place(MPSAN_TAG(lock, kind), caller);
}

static inline void hold_commit(struct mpsan_hold *hold, const void *lock, unsigned kind)
{
	hold->tag = MPSAN_TAG(lock, kind);
}

/* The address of a claim, which may have moved with its record. */
struct mpsan_hold *hold_now(struct mpsan_hold *hold);

/* A release leaves fewer claims than the thread kept while it polled, or is watched. */
void thread_gives_up(struct mpsan_thread *t, uint32_t left);

/* Until guard_next has been called, releases of the calling thread enter a guard, if it does not poll. */
void thread_watch_releases(void);

/* As hold_pop, if the lock is the newest and that needs no call. False: nothing was done. */
static inline bool hold_drop(const void *lock)
{
	struct mpsan_thread *t = thread_hot;
	uint32_t n;

	if (UNLIKELY(!t))
		return false;
	n = __atomic_load_n(&t->holds_used, __ATOMIC_RELAXED);
	if (UNLIKELY(!n || n > MPSAN_HOLDS || n <= MPSAN_TRIED_HELD(t->tried.tag) ||
		     MPSAN_TAG_ADDRESS(t->hold[n - 1].tag) != (uint64_t)(uintptr_t)lock))
		return false;
	t->holds_used = n - 1;
	return true;
}

/*
 * Removes the newest claim on a lock; false if this thread has none. If the library is off there
 * are no claims, and that means nothing.
 */
static inline bool hold_pop(const void *lock)
{
	if (LIKELY(hold_drop(lock)))
		return true;
	return (thread_hot == &thread_none && hook_off) || hold_remove((uint64_t)(uintptr_t)lock);
}

/*
 * After a call that failed, or succeeded with a special result: EOWNERDEAD hands the lock over, in the
 * claim `hold`. Returns `result`.
 */
int hold_cancel(struct mpsan_hold *hold, const void *lock, unsigned kind, int result);

/*
 * Removes the claim at an unlock; an unlock of a lock that another thread took is recorded as a
 * hand-over.
 */
static inline void hold_release(const void *lock)
{
	if (UNLIKELY(!hold_pop(lock)))
		lock_hint_learn(lock, MPSAN_LF_HANDOFF);
}

/*
 * An unlock that may fail (EPERM) without a claim of this thread: recorded before the call, because
 * the next owner may be examined before it returns, and revoked if it fails.
 */
int hold_hand_over(void *lock, int (*real)(void *));

/* For a claim that is not merely wanted: removes it if the call failed. */
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

/* Around a call that blocks, on slow paths only: records since when, for a supervisor. */
static inline void thread_waits(bool begin)
{
	struct mpsan_thread *t = thread_hot;

	if (t)
		t->wait_ns = begin ? sys_now() : 0;
}

/* A call that does not wait did not get what it asked for: who polls is known by that. */
void thread_tried(const void *object, unsigned kind, uint64_t caller);
/* It got that, or waits for it. */
static inline void thread_stops_trying(const void *object)
{
	struct mpsan_thread *t = thread_hot;

	if (t && UNLIKELY(MPSAN_TAG_ADDRESS(t->tried.tag) == (uint64_t)(uintptr_t)object))
		t->tried.tag = 0;
}

/* For try calls: claims only after success, because they never wait. */
static inline int hold_try(const void *lock, unsigned kind, uint64_t caller, int result)
{
	if (result == 0 || result == EOWNERDEAD) {
		thread_stops_trying(lock);
		hold_push(lock, kind, caller);
	} else {
		thread_tried(lock, kind, caller);
	}
	return result;
}
