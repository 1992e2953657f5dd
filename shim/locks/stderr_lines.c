/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints proven waits and refused unlocks on standard error, and keeps what is needed for that
 * about the fork that created this process.
 */
#include "stderr_lines.h"

#include <stddef.h>

#include "../common/lock_kind.h"
#include "../common/proof_rule.h"
#include "../common/wait_rule.h"
#include "../intercept/elf.h"
#include "../intercept/sys.h"
#include "../record/finding_line.h"
#include "../record/state.h"
#include "../record/thread.h"

#define PLACES 32u /* of call sites, each reported once */
#define LEFT 16u
#define OBJECTS_MAX 4096 /* in the loader's list */

/* The fork that created this process. */
struct origin {
	uint32_t by; /* PID of the forking process; 0: none */
	bool preexec;
	uint32_t count;
	uint64_t began[PLACES]; /* start routines of the other threads, and their creators */
};

/* of the newest fork in this memory, and of the one that created this process */
STATE static struct origin next, mine;
STATE static uint64_t left[LEFT];
STATE static uint32_t left_count, left_by;

static void note_place(struct origin *origin, uint64_t code)
{
	for (uint32_t i = 0; i < origin->count; i++)
		if (origin->began[i] == code)
			return;
	if (code && origin->count < PLACES)
		origin->began[origin->count++] = code;
}

static void note_thread(struct mpsan_thread *t, void *context)
{
	if (t->tid == thread_tid())
		return;
	note_place(context, t->entry);
	note_place(context, t->creator_caller);
}

void print_before_fork(bool preexec, uint32_t threads)
{
	if (life.quiet)
		return;
	if (next.by && next.by != life.pid)
		mine = next;
	next = (struct origin){.by = life.pid, .preexec = preexec};
	if (threads != 1)
		thread_each(note_thread, &next);
}

static const struct origin *origin(void)
{
	return next.by && next.by != life.pid ? &next : &mine;
}

void print_left(uint64_t lock)
{
	if (left_by != life.pid)
		left_count = 0;
	left_by = life.pid;
	if (!life.quiet && left_count < LEFT)
		left[left_count++] = lock;
}

static bool was_left(uint64_t lock)
{
	for (uint32_t i = 0; left_by == life.pid && i < left_count; i++)
		if (left[i] == lock)
			return true;
	return false;
}

static bool began_within(const struct elf_object *object)
{
	const struct origin *from = origin();

	for (uint32_t i = 0; i < from->count; i++)
		if (from->began[i] >= object->base && from->began[i] < object->end)
			return true;
	return false;
}

/* Whether code lies in a library whose threads were not copied. */
static bool is_in_pool(uint64_t code)
{
	const struct link_map *at = _r_debug.r_map;
	struct elf_object object;
	struct link_map map;
	char path[512];

	for (int i = 0; at && i < OBJECTS_MAX && sys_peek(&map, at, sizeof(map)) == sizeof(map);
	     i++, at = map.l_next) {
		long bytes;

		if (!elf_describe(&map, &object) || code < object.base || code >= object.end)
			continue;
		bytes = sys_peek(path, map.l_name, sizeof(path) - 1);
		path[bytes > 0 ? bytes : 0] = '\0';
		return wait_is_library(path) && began_within(&object);
	}
	return false;
}

static enum rule_id rule_of(const struct ev_wait *w)
{
	struct wait_case wait = {.kind = w->kind,
				 .flags = w->flags,
				 .reason = w->reason,
				 .was_left = was_left(w->lock),
				 .preexec = life.forked && origin()->preexec};

	wait.in_pool = w->reason == MPSAN_WAIT_ALONE && is_in_pool(w->caller);
	return wait_rule(&wait);
}

void print_wait(const struct ev_wait *w)
{
	char owner[16], lock[24];
	const char *const text[] = {
		lock_kind_text(w->kind, w->flags),
		" 0x",
		lock,
		w->owner ? " is held by thread " : "",
		w->owner ? owner : "",
		w->reason == MPSAN_WAIT_ORPHAN ? ", which the fork did not copy" :
		w->reason == MPSAN_WAIT_TEAM   ? " lost its threads at the fork" :
		w->owner		       ? ", which is this thread" :
						 ": no thread is left that could wake this one",
		w->flags & MPSAN_LF_TIMED ? "; this wait cannot succeed" : "; this wait cannot end",
		NULL};

	if (life.quiet || !mpsan_wait_is_proof(w))
		return;
	text_put_number(owner, owner + sizeof(owner), w->owner, 10);
	text_put_number(lock, lock + sizeof(lock), w->lock, 16);
	finding_line(rule_of(w), text);
}

void print_unlock(const struct ev_unlock_failed *unlock)
{
	char owner[16], lock[24];
	const char *const text[] = {
		lock_kind_text(unlock->kind, unlock->flags),
		" 0x",
		lock,
		" was taken before the fork, by thread ",
		owner,
		" of the parent; this unlock fails (EPERM), and it stays locked",
		NULL};

	text_put_number(owner, owner + sizeof(owner), unlock->owner, 10);
	text_put_number(lock, lock + sizeof(lock), unlock->lock, 16);
	finding_line_at(proof_rule_unlock(unlock->flags), unlock->caller, text);
}
