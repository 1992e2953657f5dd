/* SPDX-License-Identifier: Apache-2.0 */
/* Forks: the snapshot before, the child's first steps after. See fork.h; claim.c checks memory. */
#include "fork.h"

#include <string.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../locks/claim.h"
#include "../locks/fork_context.h"
#include "../locks/held_events.h"
#include "../locks/loader_locks.h"
#include "../locks/orphans.h"
#include "../locks/pshared_locks.h"
#include "../locks/python_locks.h"
#include "../locks/stderr_lines.h"
#include "../python/python.h"
#include "../python/python_glance.h"
#include "../record/live_threads.h"
#include "../record/lock_hints.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/slot.h"
#include "../record/stack.h"
#include "../record/thread.h"
#include "../record/thread_names.h"
#include "../resources/stdio.h"
#include "../workers/proc_events.h"
#include "life.h"
#include "stages.h"

#define SNAPSHOTS 16u
#define LOOK_AGAIN_NS 100000000u /* a holder's stack this old is read again */

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

struct snapshot {
	uint32_t tid; /* of the forking thread */
	enum mpsan_how how;
	bool prepared;
	bool gil;
	bool imports; /* some thread may be loading a module */
	struct snapshot *outer; /* of a fork that a signal handler interrupted with this one */
	uint64_t fork; /* position of the fork event */
	uint32_t slot; /* + 1, of the child */
	uint32_t own_count;
	uint32_t held_count; /* events written, for locks of other threads */
	uint32_t own_held; /* events written, for own locks */
	uint32_t threads, feeders;
	uint32_t flags; /* enum mpsan_fork_flags */
	uint64_t now_ns;
	struct fork_context fork_context;
	uint32_t loader; /* TID of the thread that loads or unloads an object */
	struct thread_pool pool; /* of the forking thread */
	struct mpsan_hold own[MPSAN_HOLDS];
	struct orphans left; /* locks that the child may find held without an owner */
};

static struct snapshot pool[SNAPSHOTS] LARGE;
/* Separate from the snapshots: checking them must not touch every snapshot's page. */
STATE static uint32_t busy[SNAPSHOTS];
STATE static bool unborn; /* set before a fork; in the child, until it has its own slot */
static bool child_handlers; /* of other libraries */
static TLS struct snapshot *current;

static struct snapshot *claim_snapshot(enum mpsan_how how)
{
	for (unsigned i = 0; i < SNAPSHOTS; i++) {
		uint32_t expected = 0;

		if (busy[i] || !__atomic_compare_exchange_n(&busy[i], &expected, 1, false,
							    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		memset(&pool[i], 0, offsetof(struct snapshot, own));
		pool[i].left.count = 0;
		pool[i].how = how;
		pool[i].tid = thread_tid();
		return &pool[i];
	}
	log_count(forks_blind);
	return NULL;
}

static void enter(struct snapshot *s)
{
	current = s;
	fork_context_enter(s ? &s->fork_context : NULL);
}

static void fork_release(struct snapshot *s)
{
	__atomic_store_n(&busy[s - pool], 0, __ATOMIC_RELEASE);
}

/* A hash of the locks that a thread holds. */
static uint64_t fork_key_of(const struct mpsan_thread *t)
{
	uint32_t n = holds_of(t);
	uint64_t key = 1;

	for (uint32_t i = 0; i < n; i++)
		key = (key ^ t->hold[i].tag ^ t->hold[i].caller << 1) * 0x9e3779b97f4a7c15ull;
	return key;
}

/* Since its holder was looked at last. */
static bool has_same_locks(const struct mpsan_thread *t)
{
	return t->snap_key == fork_key_of(t);
}

/*
 * Records the stack, Python frames and name of a holder. Forks in quick succession do not record every holder
 * again, nor is one read that stands where it stood, by its locks and Python frames: a hash is a tenth of the cost.
 */
static void look_at_holder(struct snapshot *s, struct mpsan_thread *t)
{
	uint64_t key = fork_key_of(t), frames;

	if (t->snap_key == key && s->now_ns - t->snap_ns < LOOK_AGAIN_NS)
		return;
	t->snap_ns = s->now_ns;
	frames = s->gil ? python_hash(t->pthread) : 0;
	if (frames && frames == t->snap_frames && t->snap_key == key)
		return;
	t->snap_key = key;
	t->snap_frames = frames;
	t->snap_stack = stack_of(t->tid, t->pthread);
	thread_name_look(t, s->gil);
	if (s->gil)
		t->snap_python = stack_python(t->pthread);
}

static void add_claim(struct snapshot *s, const struct mpsan_hold *hold,
		      struct mpsan_thread *holder)
{
	if (s->left.count == CLAIMS_LEFT) {
		log_count(orphans_lost);
		return;
	}
	s->left.claim[s->left.count++] = (struct claim){
		.tag = hold->tag,
		.caller = hold->caller,
		.held_slot = life.slot,
		.tid = holder->tid,
		.holder = holder,
	};
}

static uint32_t copy_claims(const struct mpsan_thread *t, struct mpsan_hold *to)
{
	uint32_t n = holds_of(t);

	memcpy(to, t->hold, n * sizeof(*to));
	return n;
}

/* Whether a thread waits for a semaphore that it holds itself, and so uses as a signal. */
static bool waits_for_own(const struct mpsan_hold *hold, uint32_t n, uint32_t i)
{
	for (uint32_t k = 0; k < n; k++)
		if (k != i && hold[k].tag & MPSAN_TAG_WANTED &&
		    MPSAN_TAG_ADDRESS(hold[k].tag) == MPSAN_TAG_ADDRESS(hold[i].tag))
			return true;
	return false;
}

struct importer {
	struct snapshot *s;
	struct mpsan_thread *t;
};

/* Adds an import: a module's lock is represented by the hash of its name. */
static void see_import(uint64_t hash, const char *name, void *context)
{
	const struct importer *by = context;
	struct mpsan_hold hold = {MPSAN_TAG(hash, MPSAN_LOCK_IMPORT), 0};

	fork_context_name_import(hash, name);
	add_claim(by->s, &hold, by->t);
}

static void see_python(const struct mpsan_hold *hold, struct mpsan_thread *t, void *context)
{
	add_claim(context, hold, t);
}

/* First round: collects the claims of every other thread. */
static void see_thread(struct mpsan_thread *t, void *context)
{
	struct snapshot *s = context;
	struct mpsan_hold *hold = s->own; /* free until see_own */
	uint32_t n;

	if (t->tid == s->tid || live_threads_ended(t))
		return;
	if (t->tid == s->loader && loader_claim(t, hold))
		add_claim(s, hold, t);
	n = copy_claims(t, hold);
	for (uint32_t i = 0; i < n; i++)
		if (hold[i].tag && !(hold[i].tag & MPSAN_TAG_WANTED) &&
		    mpsan_kind_is_lock(MPSAN_TAG_KIND(hold[i].tag)) && !waits_for_own(hold, n, i))
			add_claim(s, &hold[i], t);
	if (s->gil && t->role == MPSAN_ROLE_UNKNOWN)
		t->role = python_role(t->pthread);
	if (s->imports)
		python_imports(t->pthread, see_import, &(struct importer){s, t});
	if (s->gil)
		python_locks_each(t, see_python, s);
	if (t->role == MPSAN_ROLE_QUEUE_FEEDER)
		s->feeders++;
}

/*
 * Collects the forking thread's own claims, which its child keeps; some of its mutexes will not
 * recognise it there.
 */
static void see_own(struct snapshot *s)
{
	struct mpsan_thread *t = thread_hot;

	if (!t || t == &thread_none)
		return;
	s->own_count = copy_claims(t, s->own);
	for (uint32_t i = 0; i < s->own_count; i++)
		if (MPSAN_TAG_KIND(s->own[i].tag) == MPSAN_LOCK_MUTEX &&
		    !(s->own[i].tag & MPSAN_TAG_WANTED))
			add_claim(s, &s->own[i], t);
}

static bool fork_counts(const struct snapshot *s, const struct claim *c)
{
	if (!(c->flags & MPSAN_LF_VERIFIED) || (c->flags & (MPSAN_LF_SHARED | MPSAN_LF_HANDOFF)))
		return false;
	if (MPSAN_TAG_KIND(c->tag) == MPSAN_LOCK_SPIN && sys_is_shared(claim_lock(c)))
		return false; /* has no flag of its own */
	if (c->tid == s->tid) /* records a TID that will not be the child's */
		return c->flags & (MPSAN_LF_RECURSIVE | MPSAN_LF_ERRORCHECK);
	return true;
}

/* Whether a queue's feeder has what serves as a lock. */
static bool feeder_has(const struct claim *c)
{
	return c->holder->role == MPSAN_ROLE_QUEUE_FEEDER &&
	       (c->flags & MPSAN_LF_MUTUAL || MPSAN_TAG_KIND(c->tag) == MPSAN_LOCK_PYTHON);
}

/*
 * Whether the child replaces this lock: a queue feeder holds only locks of the queue, which
 * multiprocessing's fork replaces.
 */
static bool is_made_anew(const struct snapshot *s, const struct claim *c)
{
	return feeder_has(c) && s->gil && python_only_feeds(c->holder->pthread);
}

/* Second round: keeps the claims that memory confirms. */
static void keep_true(struct snapshot *s, uint32_t first)
{
	const struct mpsan_thread *looked = NULL;
	uint32_t kept = first;

	claims_verify(s->left.claim + first, s->left.count - first);
	python_locks_settle(s->left.claim + first, s->left.count - first);
	for (uint32_t i = first; i < s->left.count; i++) {
		struct claim *c = &s->left.claim[i];
		bool feeds;

		if (!fork_counts(s, c) ||
		    (s->gil && c->tid != s->tid && python_locks_end(c, has_same_locks(c->holder))))
			continue;
		feeds = is_made_anew(s, c);
		if (feeds && python_starting())
			continue;
		if (c->tid != s->tid && c->holder != looked)
			look_at_holder(s, c->holder);
		looked = c->holder;
		if (feeder_has(c) && !feeds)
			s->flags |= MPSAN_FORK_FEEDER_BUSY;
		*(c->tid == s->tid ? &s->own_held : &s->held_count) += 1;
		s->left.claim[kept++] = *c;
	}
	s->left.count = kept;
}

/* The Python frames of this thread: a loop that forks has the same ones again and again. */
static uint64_t own_python(void)
{
	static TLS struct {
		uint64_t hash, position;
		uint32_t slot;
	} last;
	uint64_t hash = python_hash(0);

	if (!hash || hash != last.hash || last.slot != life.slot || !last.position)
		last.position = stack_python(0);
	last.slot = life.slot;
	last.hash = hash;
	return last.position;
}

static void take(struct snapshot *s)
{
	uint64_t stack = stack_own(), held_by;
	struct ev_fork *event;
	uint32_t first;

	s->gil = python_present() && python_holds_gil();
	if (s->gil)
		python_blocks_begin();
	s->imports = s->gil && python_somebody_imports();
	s->threads = live_threads_count(s->gil);
	event = log_reserve(EV_fork, sizeof(*event), &s->fork);
	s->prepared = true;
	stage_before_fork();
	stdio_before_fork(s->how);
	s->now_ns = sys_now();
	s->pool = thread_pool();
	s->loader = loader_owner(loader_lock());
	s->flags |= s->gil ? fork_context_look(&s->fork_context) : 0;
	python_remember(s->threads != 1 || life.lost_threads); /* who may wake the child */
	if (s->gil)
		proc_events_forks(s->fork, true);
	print_before_fork(s->fork_context.preexec, s->threads);
	orphans_inherit(&s->left);
	first = s->left.count;
	if (s->threads != 1) {
		life_flag(MPSAN_PROCESS_MULTI);
		python_glances_begin(life.pid);
		thread_each(see_thread, s);
	}
	see_own(s);
	keep_true(s, first);
	held_by = held_state(s->left.claim + first, s->left.count - first, s->fork,
			     !child_handlers && !s->loader);
	python_blocks_end();
	if (s->gil && !life.self->python)
		life.self->python = python_version();
	s->slot = slot_expect(s->how, s->fork);
	if (!event)
		return;
	*event = (struct ev_fork){
		.how = s->how,
		.threads = s->threads,
		.held = s->held_count,
		.own = s->own_held,
		.stack = stack,
		.python = s->gil ? own_python() : 0,
		.feeder = s->feeders,
		.held_by = held_by,
		.flags = s->flags | (modules_have_torch() ? MPSAN_FORK_TORCH : 0) |
			 (s->gil ? MPSAN_FORK_PYTHON : 0),
	};
	log_commit(event, EV_fork, sizeof(*event));
}

static void fork_take(struct snapshot *s)
{
	sys_snapshot_begin();
	take(s);
	sys_snapshot_end();
}

static bool watched(void)
{
	return life.attached && !hook_off;
}

void fork_enter(enum mpsan_how how, bool handlers)
{
	struct snapshot *s;

	if (!watched() || life_is_guest())
		return;
	hook_resolve_for_children();
	unborn = true; /* a child may have its parent's PID: 1, in a namespace of its own */
	s = claim_snapshot(how);
	if (!s)
		return;
	s->outer = current;
	enter(s);
	fork_context_begin(&s->fork_context);
	if (!handlers)
		fork_take(s);
}

/*
 * The last prepare handler to run. A fork that bypasses the hooks (by a library bound to libc
 * directly) starts here.
 */
static void on_prepare(void)
{
	int error = errno;

	if (watched() && !life_is_guest()) {
		if (!current || current->prepared) {
			fork_enter(MPSAN_HOW_FORK, true);
			if (current)
				current->fork_context.hooked = false;
		}
		if (current && !current->prepared) {
			current->flags |= MPSAN_FORK_HANDLERS;
			fork_take(current);
		}
	}
	errno = error;
}

/*
 * Keeps the forking thread's claims in the child as if never released: an interpreter abandons such
 * a semaphore and creates a new one (CPython's import lock). It serves as a lock once the child has
 * posted it.
 */
static void forget_given_back(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->own_count; i++) {
		const void *lock = (const void *)(uintptr_t)MPSAN_TAG_ADDRESS(s->own[i].tag);

		if (MPSAN_TAG_KIND(s->own[i].tag) == MPSAN_LOCK_SEMAPHORE)
			lock_hint_unlearn(lock, HINT_FLAGS | HINT_OWN);
	}
}

void fork_born(void)
{
	struct snapshot *s = current;

	hook_guard = unborn = 0;
	sys_snapshot_end(); /* a signal handler may have interrupted one, and forked */
	python_blocks_drop();
	if (life.forked)
		lock_hints_inherit();
	if (s)
		forget_given_back(s);
	thread_forked(s ? s->own : NULL, s ? s->own_count : 0);
	life.tid_before = s ? s->tid : 0;
	life.lost_threads |= !s || s->threads != 1;
	if (s)
		thread_inherit_pool(&s->pool);
	life_child(s ? s->slot : 0, s ? s->how : MPSAN_HOW_FORK, s ? s->fork : 0,
		   s ? s->now_ns : 0);
	orphans_born(s ? &s->left : NULL);
	fork_context_born(s ? &s->fork_context : NULL);
	for (unsigned i = 0; i < SNAPSHOTS; i++)
		if (busy[i] && &pool[i] != s)
			busy[i] = 0;
	stage_forked(true);
}

/* The first child handler to run. */
static void on_child(void)
{
	if (life.attached && !hook_off && (unborn || life_is_guest()))
		fork_born();
}

void fork_register(bool repairs)
{
	static uint32_t done;

	if (repairs)
		child_handlers = true;
	if (!__atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
		REAL(__register_atfork)(on_prepare, NULL, on_child, NULL);
}

pid_t fork_leave(pid_t result)
{
	struct snapshot *s = current;
	int error = errno;

	if (!s || !watched())
		return result;
	if (result == 0) {
		if (unborn || life_is_guest())
			fork_born();
		if (child_handlers || s->loader) /* fork itself releases that lock */
			orphans_drop_repaired();
		enter(NULL);
		pshared_born();
	} else {
		if (s->prepared && s->fork)
			EMIT(fork_done, .fork = s->fork, .child = result > 0 ? (uint64_t)result : 0,
			     .error = result < 0 ? (uint64_t)error : 0);
		if (s->prepared)
			fork_context_end(&s->fork_context, s->fork);
		if (result > 0)
			stage_forked(false);
		else
			slot_expect_again(s->slot);
		enter(s->outer);
		fork_release(s);
	}
	errno = error;
	return result;
}
