/* SPDX-License-Identifier: Apache-2.0 */
/* See ps_picture.h: connects threads: owners' names, and locks that others wait for. */
#include <stdlib.h>
#include <string.h>

#include "../base/index_map.h"
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
 * that holds it: `who` is that process or thread. The names are those that locks have where they are wanted.
 */
struct wishes {
	struct index_map *at;
	ARRAY(const char *) name;
};

static void add_wish(struct wishes *wishes, uint32_t who, const struct ps_awaited *waits)
{
	index_map_add(wishes->at, who, waits->lock, 0, wishes->name.count);
	*ARRAY_ADD(&wishes->name) = waits->name;
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

static void mark_wanted(const struct wishes *wishes, uint32_t who, struct ps_thread *thread)
{
	for (uint32_t i = 0; i < thread->holds.count; i++) {
		struct ps_hold *hold = &thread->holds.item[i];
		uint32_t wish = index_map_find(wishes->at, who, hold->lock, 0);

		if (wish == INDEX_NONE)
			wish = index_map_find(wishes->at, thread->tid, hold->lock, 0);
		hold->wanted = wish != INDEX_NONE;
		if (hold->wanted)
			name_hold(hold, wishes->name.item[wish]);
	}
}

void ps_tie(struct ps_picture *picture)
{
	struct wishes wishes = {.at = index_map_create()};

	find_wishes(&wishes, picture);
	EACH_THREAD(picture, process, thread) {
		name_owner(picture, process, &thread->waits.owner);
		mark_wanted(&wishes, process->pid, thread);
	}
	index_map_destroy(wishes.at);
	free(wishes.name.item);
}
