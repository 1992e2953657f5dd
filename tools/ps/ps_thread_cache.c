/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See ps.h: keeps names and stacks of blocked threads from one snapshot to the next. Reading a
 * stack costs a hundred times as much as checking that the thread has not run.
 */
#include <stdlib.h>

#include "ps.h"

static bool is_still(const struct snapshot_thread *thread)
{
	return thread->call.state == PROC_IN_CALL && thread->runs;
}

static int ps_kept_compare(const void *one, const void *other)
{
	const struct ps_kept_thread *a = one, *b = other;

	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

const struct ps_kept_thread *ps_kept_find(const struct ps *ps, const struct snapshot_thread *thread)
{
	const struct ps_kept_thread key = {.slot = thread->slot, .tid = thread->tid}, *found;

	if (!is_still(thread) || !ps->kept_before.item.count)
		return NULL;
	found = bsearch(&key, ps->kept_before.item.item, ps->kept_before.item.count, sizeof(key),
			ps_kept_compare);
	return found && found->still_ns == thread->still_ns ? found : NULL;
}

static char *copy_of(const char *text)
{
	return text ? text_copy(text) : NULL;
}

void ps_kept_add(struct ps *ps, const struct snapshot_thread *thread, const struct ps_thread *found,
		 const char *lock)
{
	if (!is_still(thread))
		return;
	*ARRAY_ADD(&ps->kept.item) =
		(struct ps_kept_thread){.slot = thread->slot,
					.tid = thread->tid,
					.still_ns = thread->still_ns,
					.name = copy_of(found->name),
					.lock = copy_of(lock),
					.stack = json_incref(found->stack),
					.python = json_incref(found->python),
					.handling = json_incref(found->handling)};
}

static void clear(struct ps_kept *kept)
{
	for (uint32_t i = 0; i < kept->item.count; i++) {
		free(kept->item.item[i].name);
		free(kept->item.item[i].lock);
		json_decref(kept->item.item[i].stack);
		json_decref(kept->item.item[i].python);
		json_decref(kept->item.item[i].handling);
	}
	kept->item.count = 0;
}

void ps_kept_turn(struct ps *ps)
{
	struct ps_kept empty = ps->kept_before;

	clear(&empty);
	ps->kept_before = ps->kept;
	ps->kept = empty;
	if (ps->kept_before.item.count)
		qsort(ps->kept_before.item.item, ps->kept_before.item.count,
		      sizeof(struct ps_kept_thread), ps_kept_compare);
}

void ps_kept_finish(struct ps_kept *kept)
{
	clear(kept);
	free(kept->item.item);
	*kept = (struct ps_kept){0};
}
