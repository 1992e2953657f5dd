/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and marks live threads before a fork, by the words that the kernel clears when a thread
 * exits.
 */
#include "live_threads.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "../intercept/sys.h"
#include "../python/python.h"
#include "log.h"
#include "modules.h"
#include "state.h"
#include "thread.h"
#include "thread_names.h"

#define LEAVING 16u
#define AT_ONCE 32u
#define ROUNDS 4
#define NAMES_MAX 16u /* looked up per fork: the list in reports is shorter */

struct snapshot {
	bool python;
	uint32_t named;
	uint32_t living;
	uint32_t leaving; /* they have ended, but may still be in the kernel's list */
	struct mpsan_thread *leaves[LEAVING];
	uint32_t waiting; /* to be looked at together */
	struct mpsan_thread *waits[AT_ONCE];
};

/*
 * The offset, in a thread's descriptor, of the word that the kernel clears when the thread exits, for joiners
 * (set_tid_address(2)): its TID, and since glibc 2.43 a state of 1 to 3. 0: unknown.
 */
#define STATE_MAX 3u
static bool is_state;

static uint64_t clear_word(void)
{
	static uint64_t distance;
	static bool asked;
	uint64_t pointer = sys_pthread(), word = 0;
	uint32_t value = 0;

	if (asked)
		return distance;
	if (!SYS2(SYS_prctl, PR_GET_TID_ADDRESS, &word) &&
	    sys_peek(&value, (const void *)word, sizeof(value)) == sizeof(value) && value &&
	    (value == sys_tid() || value <= STATE_MAX)) {
		is_state = value != sys_tid();
		distance = word - pointer;
	}
	asked = true;
	return distance;
}

/* Whether its newest claim is the GIL, or was, and it holds nothing but the locks inside the GIL. */
static bool wants_only_gil(const struct mpsan_thread *t)
{
	for (uint32_t i = 0; i == 0 || i < t->holds_used; i++)
		if (i == MPSAN_HOLDS ||
		    !python_is_gil((const void *)(uintptr_t)MPSAN_TAG_ADDRESS(t->hold[i].tag)))
			return false;
	return true;
}

/*
 * Whether a Python thread has left the interpreter: it has given up the GIL, or is about to, and has no
 * PyThreadState any more. What it does before the kernel ends it does not matter.
 */
static bool has_left_python(struct mpsan_thread *t)
{
	return wants_only_gil(t) && modules_is_python(t->entry) &&
	       !python_has_thread(t->pthread, &t->python_state);
}

/* Whether the kernel still lists the thread, which it does until its very end. */
static bool is_listed(struct mpsan_thread *t)
{
	if (sys_thread_alive(life.pid, t->tid))
		return true;
	t->buried = t->ended;
	return false;
}

/* `runs`: as far as the kernel tells. */
static void see(struct mpsan_thread *t, bool runs, struct snapshot *snapshot)
{
	if (!live_threads_ended(t)) {
		if (runs && !(snapshot->python && t != thread_hot && has_left_python(t))) {
			snapshot->living++;
			if (snapshot->named < NAMES_MAX)
				snapshot->named += thread_name_look(t, snapshot->python);
			return;
		}
		t->ended = t->start_ns;
		EMIT(thread_gone, .thread = t->tid, .start = t->start_ns);
	}
	if (is_listed(t) && snapshot->leaving < LEAVING)
		snapshot->leaves[snapshot->leaving++] = t;
}

/*
 * Whether a thread runs whose descriptor has this in that word. That of the main thread is nobody else's, and keeps the
 * parent's TID in a child of a clone() that libc does not know of. A state does not tell whose it is; the kernel does,
 * but lists the main thread until the process ends.
 */
static bool is_of(const struct mpsan_thread *t, uint32_t word)
{
	if (is_state)
		return word && sys_thread_alive(life.pid, t->tid);
	return word == t->tid || (word && t->tid == life.pid);
}

/*
 * Sees those that are waiting to be seen. A thread's descriptor is its own until the kernel clears the word, and
 * may be another thread's, or not be mapped, afterwards.
 */
static void see_waiting(struct snapshot *snapshot)
{
	struct iovec from[AT_ONCE], to[AT_ONCE];
	uint32_t tid[AT_ONCE], count = snapshot->waiting, done = 0;

	for (uint32_t i = 0; i < count; i++) {
		from[i] = (struct iovec){
			(void *)(uintptr_t)(snapshot->waits[i]->pthread + clear_word()),
			sizeof(*tid)};
		to[i] = (struct iovec){&tid[i], sizeof(*tid)};
	}
	while (done < count) {
		long got = sys_peek_many(&to[done], &from[done], count - done);
		bool readable = got >= (long)sizeof(*tid), known = readable || got == -EFAULT;
		uint32_t end = done + (readable ? (uint32_t)got / sizeof(*tid) : 1);

		for (; done < end; done++) {
			struct mpsan_thread *t = snapshot->waits[done];

			see(t,
			    known ? readable && is_of(t, tid[done]) :
				    sys_thread_alive(life.pid, t->tid),
			    snapshot);
		}
	}
	snapshot->waiting = 0;
}

static void living_see(struct mpsan_thread *t, void *context)
{
	struct snapshot *snapshot = context;

	if (!t->tid || (t->buried && t->buried == t->start_ns))
		return;
	if (live_threads_ended(t) || !t->pthread || !clear_word()) {
		see(t, !live_threads_ended(t) && sys_thread_alive(life.pid, t->tid), snapshot);
		return;
	}
	if (snapshot->waiting == AT_ONCE)
		see_waiting(snapshot);
	snapshot->waits[snapshot->waiting++] = t;
}

static uint32_t still_listed(const struct snapshot *snapshot)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < snapshot->leaving; i++)
		count += is_listed(snapshot->leaves[i]);
	return count;
}

/*
 * The kernel lists as many threads as before, and none of ours is new: they are the same ones. It lists one that has left
 * Python for a moment longer, which matters only where it is the last one.
 */
#define MANY 16u
static struct {
	uint32_t slot, births, listed;
} all_lived;

static bool all_live_still(uint32_t listed)
{
	return listed >= MANY && listed == all_lived.listed && all_lived.slot == life.slot &&
	       all_lived.births == thread_births;
}

uint32_t live_threads_count(bool python)
{
	uint32_t births = thread_births, listed = sys_thread_count(), leaving, before;
	struct snapshot snapshot = {.python = python};

	if (listed == 1 || all_live_still(listed))
		return listed;
	thread_each(living_see, &snapshot);
	see_waiting(&snapshot);
	all_lived.listed = listed == snapshot.living && !snapshot.named ? listed : 0;
	all_lived.slot = life.slot;
	all_lived.births = births;
	if (!listed || listed <= snapshot.living)
		return listed;
	/* Threads may exit meanwhile: the numbers are of the same time if they are consistent. */
	for (int i = 0; i < ROUNDS; i++) {
		before = sys_thread_count();
		leaving = still_listed(&snapshot);
		listed = sys_thread_count();
		if (before == listed && listed <= snapshot.living + leaving)
			break;
	}
	return listed > snapshot.living + leaving ? listed - leaving : snapshot.living;
}
