/* SPDX-License-Identifier: Apache-2.0 */
/* See ps_picture.h: connects threads: owners' names, and locks that others wait for. */
#include <stdlib.h>
#include <string.h>

#include "ps_picture.h"

/* The newest process with that pid: pids are reused. */
static const struct ps_process *find_process(const struct ps_picture *picture, uint32_t pid)
{
	for (uint32_t i = picture->processes.count; i-- > 0;)
		if (picture->processes.item[i].pid == pid)
			return &picture->processes.item[i];
	return NULL;
}

static const struct ps_thread *find_thread(const struct ps_process *process, uint32_t tid)
{
	for (uint32_t i = 0; process && i < process->threads.count; i++)
		if (process->threads.item[i].tid == tid)
			return &process->threads.item[i];
	return NULL;
}

static void name_owner(const struct ps_picture *picture, const struct ps_process *process,
		       struct ps_owner *owner)
{
	const struct ps_thread *found;

	if (!owner->tid || (owner->gone && owner->home == PS_HOME_HERE))
		return;
	if (owner->pid != process->pid)
		process = find_process(picture, owner->pid);
	found = find_thread(process, owner->tid);
	if (!found)
		return;
	free(owner->name);
	owner->name = found->name ? text_copy(found->name) : NULL;
}

/*
 * A lock can be wanted in its own process, and in a forked child that copied it from the thread
 * that holds it: `who` is that process or thread.
 */
struct wish {
	uint32_t who;
	uint64_t lock;
	const char *name; /* that the lock has where it is wanted; NULL: none */
	uint32_t number; /* the last one counts */
};
struct wishes {
	ARRAY(struct wish) item;
};

static int compare_wishes(const void *one, const void *other)
{
	const struct wish *a = one, *b = other;

	if (a->who != b->who)
		return a->who < b->who ? -1 : 1;
	if (a->lock != b->lock)
		return a->lock < b->lock ? -1 : 1;
	return (a->number < b->number) - (a->number > b->number);
}

static void add_wish(struct wishes *wishes, uint32_t who, const struct ps_awaited *waits)
{
	uint32_t number = wishes->item.count;

	*ARRAY_ADD(&wishes->item) = (struct wish){who, waits->lock, waits->name, number};
}

static void find_wishes(struct wishes *wishes, const struct ps_picture *picture)
{
	EACH_THREAD(picture, process, thread) {
		if (!thread->waits.lock)
			continue;
		add_wish(wishes, process->pid, &thread->waits);
		if (thread->waits.owner.gone)
			add_wish(wishes, thread->waits.owner.tid, &thread->waits);
	}
	if (wishes->item.count)
		qsort(wishes->item.item, wishes->item.count, sizeof(struct wish), compare_wishes);
}

/* NULL: nobody wants it. */
static const struct wish *find_wish(const struct wishes *wishes, uint32_t who, uint64_t lock)
{
	uint32_t low = 0, high = wishes->item.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct wish *wish = &wishes->item.item[middle];

		if (wish->who < who || (wish->who == who && wish->lock < lock))
			low = middle + 1;
		else
			high = middle;
	}
	return low < wishes->item.count && wishes->item.item[low].who == who &&
			       wishes->item.item[low].lock == lock ?
		       &wishes->item.item[low] :
		       NULL;
}

/* A lock of Python's is named by the frames of who waits for it: with its kind, as `Lock "x" (y.py, global)`. */
static void name_hold(struct ps_hold *hold, const char *name)
{
	if (!name || !strchr(name, '"') || hold->name)
		return;
	hold->name = text_copy(name);
	free(hold->text);
	hold->text = text_copy(name);
}

static void mark_wanted(const struct wishes *wishes, const struct ps_process *process,
			struct ps_thread *thread)
{
	for (uint32_t i = 0; i < thread->holds.count; i++) {
		struct ps_hold *hold = &thread->holds.item[i];
		const struct wish *wish = find_wish(wishes, process->pid, hold->lock) ?:
						  find_wish(wishes, thread->tid, hold->lock);

		hold->wanted = hold->lock && wish;
		if (hold->wanted)
			name_hold(hold, wish->name);
	}
}

void ps_tie(struct ps_picture *picture)
{
	struct wishes wishes = {0};

	find_wishes(&wishes, picture);
	EACH_THREAD(picture, process, thread) {
		name_owner(picture, process, &thread->waits.owner);
		mark_wanted(&wishes, process, thread);
	}
	free(wishes.item.item);
}
