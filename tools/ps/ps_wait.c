/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: what a thread waits for, as text and numbers. */
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../evidence/text_waits.h"
#include "../waits/fork_holder.h"
#include "ps.h"

/* ---- from events ---- */

/* The library logs a wait before it blocks, and when it ends; in between it is this wait. */
static void add_proof(const struct ps *ps, struct ps_wait *wait)
{
	const struct reader *reader = ps->reader;

	for (uint32_t i = reader->waits.count; i-- > 0;) {
		const struct fact_wait *fact = &reader->waits.item[i];

		if (fact->at.by != wait->at.by || fact->at.tid != wait->at.tid)
			continue;
		if (fact->end_ns || (wait->lock && wait->lock != fact->ev.lock))
			return;
		wait->kind = fact->ev.kind;
		wait->lock = fact->ev.lock;
		wait->caller = fact->ev.caller;
		wait->flags |= fact->ev.flags;
		if (!reader->session.head->outside) { /* else it is the time of the proof */
			wait->since_ns = fact->at.time_ns;
			wait->at_least = false;
		}
		if (fact_wait_is_proof(fact) && fact_wait_ends(fact) == MPSAN_ENDS_NEVER)
			wait->for_ever = true;
		if (!wait->owner && fact->ev.owner) {
			wait->owner = (uint32_t)fact->ev.owner;
			wait->owner_slot = wait->at.by;
			wait->owner_gone = fact->ev.reason == MPSAN_WAIT_ORPHAN;
		}
		return;
	}
}

static void add_blocked(struct ps_wait *wait, const struct fact_blocked *blocked)
{
	const struct ev_blocked *ev = &blocked->ev;

	wait->kind = ev->kind;
	wait->lock = ev->lock;
	wait->flags |= ev->flags;
	wait->for_ever = true;
	if (ev->caller)
		wait->caller = ev->caller;
	if (!wait->since_ns || (wait->at_least && ev->since < wait->since_ns)) {
		wait->since_ns = ev->since;
		wait->at_least = true;
	}
	if (!wait->owner && ev->owner) {
		wait->owner = (uint32_t)ev->owner;
		wait->owner_slot = ev->owner_slot ? (uint32_t)ev->owner_slot - 1 : wait->at.by;
		wait->owner_gone = ev->flags & MPSAN_LF_OWNER_DEAD;
	}
}

/* What is proved stays true as long as the thread exists. */
static void add_deadlocks(const struct ps *ps, struct ps_wait *wait)
{
	const struct fact_blocked *blocked =
		ps_proof_of(ps, &(struct ps_waiter){.slot = wait->at.by,
						    .tid = wait->at.tid,
						    .lock = wait->lock,
						    .still_ns = wait->still_ns,
						    .began_ns = wait->since_ns});

	if (blocked)
		add_blocked(wait, blocked);
}

/* ---- owners that a fork did not copy ---- */

/* By the record of the fork: the owner forked, or was there beside the thread that did. */
static enum ps_home home_at(const struct ps *ps, const struct fact_fork *fork, uint32_t slot,
			    uint32_t tid)
{
	const struct fact_thread *seen = threads_at(ps->reader, slot, tid, fork->at.time_ns);

	if (fork->at.tid == tid)
		return PS_HOME_FORKER;
	if (tid == ps->reader->session.table[slot].pid)
		return PS_HOME_NOT_COPIED;
	return seen && fork->ev.threads > 1 && threads_lives(seen, fork) ? PS_HOME_NOT_COPIED :
									   PS_HOME_HERE;
}

/* Without such a record, by /proc: it lives there, and is older than the child. */
static enum ps_home home_in(const struct ps *ps, uint32_t slot, uint32_t tid, uint32_t child)
{
	const struct facts *facts = &ps->reader->facts;
	uint32_t fork = ps->snapshot->outside ? FACT_NONE :
						fact_fork_behind(facts, FACT_NONE, child),
		 index = ps->live ? snapshot_find(ps->snapshot, slot, tid) : SNAPSHOT_NONE,
		 at = ps->live ? snapshot_process(ps->snapshot, child) : SNAPSHOT_NONE, pid;
	const struct snapshot_thread *thread;

	if (fork != FACT_NONE)
		return home_at(ps, &facts->forks[fork], slot, tid);
	if (index == SNAPSHOT_NONE || at == SNAPSHOT_NONE)
		return PS_HOME_HERE;
	thread = &ps->snapshot->threads.item[index];
	pid = ps->snapshot->processes.item[at].pid;
	if (fork_forker(ps->snapshot, at) == tid)
		return PS_HOME_FORKER;
	return proc_precedes(thread->pid, thread->tid, pid, proc_stat(pid, pid).start) ?
		       PS_HOME_NOT_COPIED :
		       PS_HOME_HERE;
}

/* An owner that is no thread of the waiter's process may be one of the process that forked it, or of its parent. */
static void find_home(const struct ps *ps, struct ps_wait *wait)
{
	const struct mpsan_process *table = ps->reader->session.table;
	uint32_t child = wait->at.by;

	if (!wait->owner_gone || wait->owner_slot != wait->at.by)
		return;
	for (unsigned i = 0; i < MPSAN_ANCESTORS && fact_how_copies(table[child].how); i++) {
		uint32_t parent = table[child].parent - 1;

		if (parent >= ps->reader->session.slots)
			return;
		wait->owner_home = home_in(ps, parent, wait->owner, child);
		if (wait->owner_home) {
			wait->owner_slot = parent;
			return;
		}
		child = parent;
	}
}

void ps_wait_events(const struct ps *ps, struct ps_wait *wait)
{
	add_proof(ps, wait);
	add_deadlocks(ps, wait);
	find_home(ps, wait);
}

/* ---- texts ---- */

static struct wait_ref ref_of(const struct ps_wait *wait, json_t *stack, json_t *python)
{
	return (struct wait_ref){
		.lock = {&wait->at, NULL, wait->lock, wait->kind, wait->flags, stack},
		.python = python,
		.owned = wait->owner && !wait->owner_claimed,
		.call = wait->call,
	};
}

/* The text of a lock without a name: the running program has one. */
static char *with_live_name(const struct ps_wait *wait, char *text)
{
	AUTO_FREE char *plain = text_format("%s 0x%llx", lock_kind_text(wait->kind, wait->flags),
					    (unsigned long long)wait->lock);
	bool is_plain = wait->name && !strcmp(text, plain);

	if (!is_plain)
		return text;
	free(text);
	return text_copy(wait->name);
}

static char *object_text(struct ps *ps, const struct ps_wait *wait, const struct wait_ref *ref)
{
	return jsontext_safe(with_live_name(wait, wait_text(ps->reader, ps->judge->frames, ref)));
}

static char *lock_name(struct ps *ps, const struct ps_wait *wait, json_t *stack)
{
	struct lock_ref lock = {&wait->at, NULL, wait->lock, wait->kind, wait->flags, stack};
	char *key;

	if (!wait->lock ||
	    (!mpsan_kind_is_lock((unsigned)wait->kind) && wait->kind != MPSAN_WAIT_COND &&
	     wait->kind != MPSAN_WAIT_BARRIER && wait->kind != MPSAN_WAIT_FUTEX))
		return NULL;
	key = lock_key(ps->reader, ps->judge->frames, &lock);
	if (*key)
		return jsontext_safe(key);
	free(key);
	return wait->name ? text_copy(wait->name) : NULL;
}

static struct ps_owner owner_of(struct ps *ps, const struct ps_wait *wait)
{
	const struct session *session = &ps->reader->session;

	if (!wait->owner || wait->owner_slot >= session->slots)
		return (struct ps_owner){0};
	return (struct ps_owner){
		.pid = session->table[wait->owner_slot].pid,
		.tid = wait->owner,
		.name = jsontext_safe(thread_text(ps->reader, ps->judge->frames, wait->owner_slot,
						  wait->owner, ps->now_ns)),
		.gone = wait->owner_gone,
		.claimed = wait->owner_claimed,
		.home = wait->owner_home};
}

/* The Python frame first, then the caller of the lock function, then the program's own code. */
char *ps_wait_place(struct ps *ps, const struct ps_wait *wait, const struct ps_thread *thread)
{
	json_auto_t *frame = json_incref(frames_first_script(thread->python));

	if (!frame)
		frame = frame_of_call(ps->judge->frames, &wait->at, wait->caller, thread->stack);
	if (!frame)
		frame = json_incref(frames_first_own(thread->stack));
	return jsontext_safe(frames_place(frame, thread->python));
}

struct ps_awaited ps_wait_awaited(struct ps *ps, const struct ps_wait *wait,
				  const struct ps_thread *thread)
{
	struct wait_ref ref = ref_of(wait, thread->stack, thread->python);
	bool is_call = wait->kind == MPSAN_WAIT_SYSCALL || wait->kind == MPSAN_LOCK_NONE ||
		       wait->kind == MPSAN_WAIT_PROCESS;
	struct ps_awaited awaited = {
		.kind = wait->kind ? lock_kind_text(wait->kind, wait->flags) : "unknown",
		.what = wait_awaited(&ref),
		.lock = is_call ? 0 : wait->lock,
		.name = lock_name(ps, wait, thread->stack),
		.is_end = wait->owner && wait_is_join(&ref),
		.call = jsontext_safe(wait->call ? text_copy(wait->call) : NULL),
		.timed = wait->timed,
		.for_ever = wait->for_ever,
		.since_ns = wait->since_ns ? (long long)reader_real_ns(ps->reader, wait->since_ns) :
					     0,
		.at_least = wait->at_least,
		.owner = owner_of(ps, wait)};

	awaited.text = awaited.is_end ? text_copy("the end of") : object_text(ps, wait, &ref);
	awaited.is_call = awaited.call && !strcmp(awaited.text, awaited.call);
	return awaited;
}

/* ---- what a thread holds, by its own record ---- */

static bool is_in_module(struct ps *ps, const struct fact_place *at, uint64_t caller,
			 const char *begin, const char *or_begin)
{
	json_auto_t *frame = frame_of_caller(ps->judge->frames, at, caller);
	const char *module = json_string_value(json_object_get(frame, "module")),
		   *base = module ? path_base(module) : "";

	return !strncmp(base, begin, strlen(begin)) || !strncmp(base, or_begin, strlen(or_begin));
}

bool ps_is_python(struct ps *ps, const struct fact_place *at, uint64_t caller)
{
	return is_in_module(ps, at, caller, "python3", "libpython3");
}

static struct ps_hold hold_of(struct ps *ps, const struct fact_place *at, struct mpsan_hold hold)
{
	bool is_python = ps_is_python(ps, at, hold.caller);
	bool is_inner = is_python ||
			is_in_module(ps, at, hold.caller, "_multiprocessing.", "_billiard.");
	json_auto_t *frame = frame_of_caller(ps->judge->frames, at, is_inner ? 0 : hold.caller);
	struct ps_wait lock = {.at = *at,
			       .kind = MPSAN_TAG_KIND(hold.tag),
			       .lock = MPSAN_TAG_ADDRESS(hold.tag),
			       .flags = is_python ? MPSAN_LF_PYTHON : 0};
	struct wait_ref ref = ref_of(&lock, NULL, NULL);

	return (struct ps_hold){.kind = lock_kind_text(lock.kind, lock.flags),
				.lock = lock.lock,
				.name = lock_name(ps, &lock, NULL),
				.text = object_text(ps, &lock, &ref),
				.taken = frame && !frame_is_header(frame) ?
						 jsontext_safe(frame_text(frame)) :
						 NULL};
}

/*
 * A claim written just before the wait for the same lock belongs to the wait. Of several on one
 * lock the newest counts.
 */
static bool is_hold(const struct ps_wait *wait, uint32_t at, uint32_t used)
{
	uint64_t tag = wait->record->hold[at].tag;

	for (uint32_t i = at + 1; i < used; i++)
		if (wait->record->hold[i].tag == tag)
			return false;
	return tag && !(tag & MPSAN_TAG_WANTED) && mpsan_kind_is_lock(MPSAN_TAG_KIND(tag)) &&
	       (at + 1 < used || MPSAN_TAG_ADDRESS(tag) != wait->lock);
}

void ps_wait_holds(struct ps *ps, const struct ps_wait *wait, struct ps_thread *thread)
{
	const struct mpsan_thread *record = wait->record;
	uint32_t used = record && record->holds_used <= MPSAN_HOLDS ? record->holds_used : 0;

	for (uint32_t i = 0; i < used; i++)
		if (is_hold(wait, i, used))
			*ARRAY_ADD(&thread->holds) = hold_of(ps, &wait->at, record->hold[i]);
}
