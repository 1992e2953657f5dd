/* See maps.h. */
#include "maps.h"

#include <stdlib.h>
#include <string.h>

#define ANCESTORS_MAX 64u

struct maps {
	const struct reader *reader;
	struct modules list;
	size_t room;
	uint32_t slot;
	uint64_t time_ns;
	uint32_t known; /* modules of the session when the list was made */
};

struct maps *maps_create(const struct reader *reader)
{
	struct maps *maps = memory_get(sizeof(*maps));

	maps->reader = reader;
	return maps;
}

static void maps_clear(struct maps *maps)
{
	for (size_t i = 0; i < maps->list.count; i++) {
		free(maps->list.item[i].path);
		free(maps->list.item[i].build_id);
	}
	maps->list.count = 0;
}

void maps_destroy(struct maps *maps)
{
	if (!maps)
		return;
	maps_clear(maps);
	free(maps->list.item);
	free(maps);
}

static char *copy_text(const struct reader *reader, uint32_t slot, uint64_t pos)
{
	const char *text = reader_text(reader, slot, pos);

	return text ? text_copy(text) : NULL;
}

/* Adds a module unless one that is there already lies in its place. */
static void maps_add(struct maps *maps, const struct seen_module *seen)
{
	size_t at = 0;
	char *path;

	while (at < maps->list.count && maps->list.item[at].end <= seen->ev.base)
		at++;
	if (seen->ev.end <= seen->ev.base ||
	    (at < maps->list.count && maps->list.item[at].base < seen->ev.end))
		return;
	path = copy_text(maps->reader, seen->at.slot, seen->ev.path);
	if (!path)
		return;
	if (maps->list.count == maps->room) {
		maps->room = maps->room ? 2 * maps->room : 64;
		maps->list.item = memory_grow(maps->list.item, maps->room * sizeof(struct module));
	}
	memmove(&maps->list.item[at + 1], &maps->list.item[at],
		(maps->list.count - at) * sizeof(struct module));
	maps->list.item[at] =
		(struct module){seen->ev.base, seen->ev.end, path,
				copy_text(maps->reader, seen->at.slot, seen->ev.build_id)};
	maps->list.count++;
}

/*
 * The newest module that was mapped by then wins its place; a later one fills what is still free.
 */
static void maps_add_own(struct maps *maps, uint32_t slot, uint64_t from_ns, uint64_t time_ns)
{
	const struct seen_module *seen = maps->reader->modules.item;
	uint32_t last = maps->reader->last_module[slot];

	for (uint32_t i = last; i != FACT_NONE && seen[i].at.time_ns >= from_ns;
	     i = seen[i].previous)
		if (seen[i].at.time_ns <= time_ns)
			maps_add(maps, &seen[i]);
	for (uint32_t i = last; i != FACT_NONE && seen[i].at.time_ns >= from_ns;
	     i = seen[i].previous)
		if (seen[i].at.time_ns > time_ns)
			maps_add(maps, &seen[i]);
}

/* When the program image began in which the process was at that time; 0: with its birth. */
static uint64_t image_start_ns(const struct fact_process *process, uint64_t time_ns)
{
	if (process->slot->exec_ns && process->slot->exec_ns <= time_ns)
		return process->slot->exec_ns;
	return process->exec_ns && process->exec_ns <= time_ns ? process->exec_ns : 0;
}

const struct modules *maps_at(struct maps *maps, uint32_t slot, uint64_t time_ns)
{
	const struct reader *reader = maps->reader;

	if (maps->list.count && maps->slot == slot && maps->time_ns == time_ns &&
	    maps->known == reader->modules.count)
		return &maps->list;
	maps_clear(maps);
	maps->slot = slot;
	maps->time_ns = time_ns;
	maps->known = reader->modules.count;
	for (uint32_t depth = 0; depth < ANCESTORS_MAX && slot < reader->session.slots; depth++) {
		const struct mpsan_process *process = &reader->session.table[slot];
		uint64_t from_ns = image_start_ns(&reader->processes[slot], time_ns);

		maps_add_own(maps, slot, from_ns, time_ns);
		if (from_ns || !process->parent)
			break;
		time_ns = process->birth_ns;
		slot = process->parent - 1;
	}
	return &maps->list;
}
