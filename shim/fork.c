/* Forks: the snapshot before, the child's first steps after. Neighbours: fork.h; claim.c asks memory. */
#include "fork.h"

#include <string.h>

#include "claim.h"
#include "hint.h"
#include "hook.h"
#include "life.h"
#include "log.h"
#include "python.h"
#include "stack.h"
#include "sys.h"
#include "thread.h"

#define SNAPSHOTS 32u
#define ORPHANS 120u
#define FRESH_LOOKS 8u /* threads whose stack is read again although they hold what they held before */

int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

struct snapshot {
	uint32_t busy;
	uint32_t tid;
	uint32_t how;
	uint32_t prepared;
	struct snapshot *outer; /* of a fork that a signal handler interrupted with this one */
	uint64_t fork; /* position of the fork event */
	uint32_t own_count;
	uint32_t orphan_count;
	uint32_t held_count; /* events written, of others' locks */
	uint32_t own_held; /* events written, of own locks */
	struct mpsan_hold own[MPSAN_HOLDS];
	struct fork_orphan orphan[ORPHANS];
	/* While it is being taken: */
	bool gil;
	uint32_t feeders;
	uint32_t flags;
	uint32_t looks;
};

static struct snapshot pool[SNAPSHOTS];
static struct snapshot *left_behind; /* in a child: the snapshot of the fork that made it */
static TLS struct snapshot *current;

static struct snapshot *claim_snapshot(enum mpsan_how how)
{
	for (unsigned i = 0; i < SNAPSHOTS; i++) {
		uint32_t expected = 0;

		if (pool[i].busy || !__atomic_compare_exchange_n(&pool[i].busy, &expected, 1, false,
								 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		memset(&pool[i].tid, 0, offsetof(struct snapshot, own) - offsetof(struct snapshot, tid));
		pool[i].how = how;
		pool[i].tid = thread_tid();
		return &pool[i];
	}
	log_count(forks_blind);
	return NULL;
}

static void release(struct snapshot *s)
{
	__atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}

/* Stack, Python frames and name of a thread that holds something, taken anew when its holds have changed. */
static void look_at_holder(struct snapshot *s, struct mpsan_thread *t, uint64_t key)
{
	if (t->snap_key == key && s->looks++ >= FRESH_LOOKS)
		return;
	t->snap_key = key;
	t->snap_stack = t->tid == s->tid ? 0 : stack_of(t->tid);
	t->snap_python = s->gil ? stack_python(t->pthread) : 0;
	if (s->gil && !t->name_pos) {
		char name[128];

		if (python_thread_name(t->pthread, name, sizeof(name)))
			t->name_pos = log_text(name);
	}
}

static void add_orphan(struct snapshot *s, const struct mpsan_hold *hold, uint32_t tid, uint32_t flags,
		       uint64_t held)
{
	if (s->orphan_count == ORPHANS) {
		log_count(holds_lost);
		return;
	}
	s->orphan[s->orphan_count++] = (struct fork_orphan){
		.tag = hold->tag,
		.caller = hold->caller,
		.held = held,
		.held_slot = life.slot,
		.tid = tid,
		.flags = flags,
	};
}

static void add_held(struct snapshot *s, struct mpsan_thread *t, const struct mpsan_hold *hold, uint32_t flags)
{
	const void *lock = (const void *)(uintptr_t)MPSAN_TAG_ADDRESS(hold->tag);
	uint64_t at;

	at = EMIT(held, .fork = s->fork, .lock = (uint64_t)(uintptr_t)lock, .kind = MPSAN_TAG_KIND(hold->tag),
		  .flags = flags, .holder = t->tid, .caller = hold->caller, .stack = t->snap_stack,
		  .python = t->snap_python, .init = hint_init_site(lock), .thread_name = t->name_pos);
	if (t->tid != s->tid)
		s->held_count++;
	else
		s->own_held++;
	add_orphan(s, hold, t->tid, flags, at);
}

/* A copy of the claims, since their owner goes on; and what identifies them. */
static uint32_t copy_claims(const struct mpsan_thread *t, struct mpsan_hold *to, uint64_t *key)
{
	uint32_t n = t->holds_used < MPSAN_HOLDS ? t->holds_used : MPSAN_HOLDS;

	*key = 1;
	memcpy(to, t->hold, n * sizeof(*to));
	for (uint32_t i = 0; i < n; i++)
		*key = (*key ^ to[i].tag ^ to[i].caller << 1) * 0x9e3779b97f4a7c15ull;
	return n;
}

/* A thread that waits for a semaphore which it holds itself uses it as a signal. */
static bool waits_for_own(const struct mpsan_hold *hold, uint32_t n, uint32_t i)
{
	for (uint32_t k = 0; k < n; k++)
		if (k != i && hold[k].tag == (hold[i].tag | MPSAN_TAG_WANTED))
			return true;
	return false;
}

static void see_thread(struct mpsan_thread *t, void *context)
{
	struct snapshot *s = context;
	struct mpsan_hold hold[MPSAN_HOLDS];
	uint64_t key;
	uint32_t n = copy_claims(t, hold, &key);
	bool alive = n && t->tid != s->tid && sys_thread_alive(life.pid, t->tid), looked = false;

	if (s->gil && t->tid != s->tid && t->role == MPSAN_ROLE_UNKNOWN && sys_thread_alive(life.pid, t->tid))
		t->role = python_role(t->pthread);
	for (uint32_t i = 0; i < n && alive; i++) {
		uint32_t flags;

		if (waits_for_own(hold, n, i) || !claim_is_true(&hold[i], t->tid, &flags))
			continue;
		if (flags & (MPSAN_LF_SHARED | MPSAN_LF_HANDOFF))
			continue;
		if (t->role == MPSAN_ROLE_QUEUE_FEEDER && (flags & MPSAN_LF_MUTUAL))
			s->flags |= MPSAN_FORK_FEEDER_BUSY;
		if (!looked)
			look_at_holder(s, t, key);
		looked = true;
		add_held(s, t, &hold[i], flags);
	}
	if (t->role == MPSAN_ROLE_QUEUE_FEEDER && t->tid != s->tid && sys_thread_alive(life.pid, t->tid))
		s->feeders++;
}

/* Recursive and errorcheck mutexes of the forking thread keep a TID that will not be the child's. */
static void see_own(struct snapshot *s)
{
	struct mpsan_thread *t = thread_hot;
	uint64_t key;

	if (!t || t == &thread_none)
		return;
	s->own_count = copy_claims(t, s->own, &key);
	for (uint32_t i = 0; i < s->own_count; i++) {
		uint32_t flags;

		if (MPSAN_TAG_KIND(s->own[i].tag) != MPSAN_LOCK_MUTEX ||
		    !claim_is_true(&s->own[i], t->tid, &flags) || (flags & MPSAN_LF_SHARED) ||
		    !(flags & (MPSAN_LF_RECURSIVE | MPSAN_LF_ERRORCHECK)))
			continue;
		t->snap_stack = t->snap_python = 0;
		add_held(s, t, &s->own[i], flags);
	}
}

/* A grandchild is left without the owners that its parent was left without already. */
static void inherit_orphans(struct snapshot *s)
{
	for (uint32_t i = 0; left_behind && i < left_behind->orphan_count && s->orphan_count < ORPHANS; i++)
		s->orphan[s->orphan_count++] = left_behind->orphan[i];
}

static void take(struct snapshot *s)
{
	uint32_t threads = sys_thread_count();
	uint64_t stack = stack_own();
	struct ev_fork *event = log_reserve(EV_fork, sizeof(*event), &s->fork);

	s->prepared = 1;
	s->gil = python_present() && python_holds_gil();
	inherit_orphans(s);
	if (threads != 1) {
		life_flag(MPSAN_PROCESS_MULTI);
		thread_each(see_thread, s);
	}
	see_own(s);
	if (!event)
		return;
	if (s->gil && !life.self->python)
		life.self->python = python_version();
	*event = (struct ev_fork){
		.how = s->how,
		.threads = threads,
		.held = s->held_count,
		.own = s->own_held,
		.stack = stack,
		.python = s->gil ? stack_python(0) : 0,
		.feeder = s->feeders,
		.flags = s->flags | (stack_has_torch() ? MPSAN_FORK_TORCH : 0) |
			 (s->gil ? MPSAN_FORK_PYTHON : 0),
	};
	log_commit(event);
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
	s = claim_snapshot(how);
	if (!s)
		return;
	s->outer = current;
	current = s;
	if (!handlers)
		take(s);
}

/* The last prepare handler to run. A fork that no hook saw (a library bound past us) begins here. */
static void on_prepare(void)
{
	int error = errno;

	if (watched() && !life_is_guest()) {
		if (!current || current->prepared)
			fork_enter(MPSAN_HOW_FORK, true);
		if (current && !current->prepared) {
			current->flags |= MPSAN_FORK_HANDLERS;
			take(current);
		}
	}
	errno = error;
}

void fork_born(void)
{
	struct snapshot *s = current;

	hook_guard = 0;
	thread_forked(s ? s->own : NULL, s ? s->own_count : 0);
	log_forked();
	life.tid_before = s ? s->tid : 0;
	life_child(s ? (enum mpsan_how)s->how : MPSAN_HOW_FORK, s ? s->fork : 0);
	left_behind = s;
	for (unsigned i = 0; i < SNAPSHOTS; i++)
		if (pool[i].busy && &pool[i] != s)
			pool[i].busy = 0;
}

/* The first child handler to run. */
static void on_child(void)
{
	if (life.attached && !hook_off && life_is_guest())
		fork_born();
}

void fork_register(void)
{
	static uint32_t done;

	if (!__atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
		REAL(__register_atfork)(on_prepare, NULL, on_child, NULL);
}

/* Child handlers may have released or re-initialised locks: those are no orphans, and the report must know. */
static void drop_repaired(struct snapshot *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->orphan_count; i++) {
		struct fork_orphan *o = &s->orphan[i];
		struct mpsan_hold hold = { o->tag, o->caller };
		struct mpsan_record *r;
		uint32_t flags;

		if (claim_is_true(&hold, o->tid, &flags)) {
			s->orphan[kept++] = *o;
			continue;
		}
		r = o->held && o->held_slot + 1 == life.self->parent ? log_at(o->held) : NULL;
		if (r)
			__atomic_store_n(&r->later, MPSAN_LATER_REPAIRED, __ATOMIC_RELEASE);
	}
	s->orphan_count = kept;
}

pid_t fork_leave(pid_t result)
{
	struct snapshot *s = current;
	int error = errno;

	if (!s || !watched())
		return result;
	if (result == 0) {
		if (life_is_guest())
			fork_born();
		if (left_behind)
			drop_repaired(left_behind);
		current = NULL;
	} else {
		if (s->prepared && s->fork)
			EMIT(fork_done, .fork = s->fork, .child = result > 0 ? (uint64_t)result : 0,
			     .error = result < 0 ? (uint64_t)error : 0);
		current = s->outer;
		release(s);
	}
	errno = error;
	return result;
}

const struct fork_orphan *fork_orphan_find(const void *lock, unsigned kind)
{
	for (uint32_t i = 0; left_behind && i < left_behind->orphan_count; i++) {
		const struct fork_orphan *o = &left_behind->orphan[i];

		if (MPSAN_TAG_ADDRESS(o->tag) == (uint64_t)(uintptr_t)lock &&
		    (!kind || MPSAN_TAG_KIND(o->tag) == kind))
			return o;
	}
	return NULL;
}
