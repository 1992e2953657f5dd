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

void ps_kept_add(struct ps *ps, const struct snapshot_thread *thread, json_t *name, json_t *stack,
		 json_t *python, json_t *lock, json_t *handling)
{
	if (!is_still(thread))
		return;
	*ARRAY_ADD(&ps->kept.item) = (struct ps_kept_thread){
		thread->slot,	    thread->tid,	 thread->still_ns,  json_incref(name),
		json_incref(stack), json_incref(python), json_incref(lock), json_incref(handling)};
}

static void clear(struct ps_kept *kept)
{
	for (uint32_t i = 0; i < kept->item.count; i++) {
		json_decref(kept->item.item[i].name);
		json_decref(kept->item.item[i].stack);
		json_decref(kept->item.item[i].python);
		json_decref(kept->item.item[i].lock);
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
