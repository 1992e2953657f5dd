/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the modules that a process had mapped, from its log and its ancestors', or from /proc. */
#include "maps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../proc/build_id.h"
#include "../proc/procmaps.h"
#include "../proc/root.h"

/* The modules of a living process, from /proc. */
struct learned {
	uint32_t slot, pid;
	uint64_t time_ns;
	struct modules list;
	size_t room;
	const char *root;
	uint64_t vdso, vdso_end;
};

struct maps {
	const struct reader *reader;
	struct modules list;
	size_t room;
	uint32_t slot;
	uint64_t time_ns;
	const char *root; /* of its files */
	uint32_t known; /* modules in the session when the list was made */
	ARRAY(struct learned) learned;
};

const struct module *modules_find(const struct modules *modules, uint64_t address)
{
	size_t low = 0;
	size_t high = modules->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (modules->item[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* An address past the vdso may be the loader's, in whose hole the vdso lies. */
	for (size_t i = low; i && i + 2 > low; i--)
		if (address < modules->item[i - 1].end)
			return &modules->item[i - 1];
	return NULL;
}

bool module_is_vdso(const struct module *module)
{
	return module->path && !strchr(module->path, '/') && strstr(module->path, "vdso");
}

struct maps *maps_create(const struct reader *reader)
{
	struct maps *maps = memory_get(sizeof(*maps));

	maps->reader = reader;
	return maps;
}

static uint64_t next_number(void)
{
	static uint64_t made;

	return ++made;
}

static void list_clear(struct modules *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->item[i].path);
		free(list->item[i].build_id);
		free(list->item[i].mapped);
	}
	list->count = 0;
}

void maps_destroy(struct maps *maps)
{
	if (!maps)
		return;
	for (uint32_t i = 0; i < maps->learned.count; i++) {
		list_clear(&maps->learned.item[i].list);
		free(maps->learned.item[i].list.item);
	}
	free(maps->learned.item);
	list_clear(&maps->list);
	free(maps->list.item);
	free(maps);
}

static char *copy_text(const struct reader *reader, uint32_t slot, uint64_t pos)
{
	const char *text = reader_text(reader, slot, pos);

	return text ? text_copy(text) : NULL;
}

/*
 * Finds the place of a module in the list; false if another module overlaps it. The vdso lies within the
 * loader on aarch64, between its code and its data, which are 64 KiB apart there.
 */
static bool find_room(const struct maps *maps, const struct module *module, size_t *at)
{
	const struct module *item = maps->list.item;

	*at = 0;
	while (*at < maps->list.count && item[*at].end <= module->base)
		++*at;
	if (module_is_vdso(module) && *at < maps->list.count && item[*at].base < module->base &&
	    module->end <= item[*at].end)
		++*at;
	return module->end > module->base &&
	       (*at == maps->list.count || item[*at].base >= module->end);
}

/* Takes over the strings. */
static void list_insert(struct modules *list, size_t *room, size_t at, struct module module)
{
	if (list->count == *room) {
		*room = *room ? 2 * *room : 64;
		list->item = memory_grow(list->item, *room * sizeof(module));
	}
	memmove(list->item + at + 1, list->item + at, (list->count - at) * sizeof(module));
	list->item[at] = module;
	list->count++;
}

static void maps_add(struct maps *maps, const struct seen_module *seen)
{
	struct module module = {.base = seen->ev.base,
				.end = seen->ev.end,
				.path = copy_text(maps->reader, seen->at.slot, seen->ev.path),
				.root = maps->root};
	size_t at;

	if (!module.path || !find_room(maps, &module, &at)) {
		free(module.path);
		return;
	}
	module.build_id = copy_text(maps->reader, seen->at.slot, seen->ev.build_id);
	list_insert(&maps->list, &maps->room, at, module);
}

static struct module copy_module(const struct module *module)
{
	struct module copy = *module;

	copy.path = text_copy(module->path);
	copy.build_id = module->build_id ? text_copy(module->build_id) : NULL;
	copy.mapped = module->mapped ? text_copy(module->mapped) : NULL;
	return copy;
}

/* Current mappings fill what is free of earlier ones. */
static void maps_add_learned(struct maps *maps, uint32_t slot)
{
	for (uint32_t i = 0; i < maps->learned.count; i++) {
		const struct learned *learned = &maps->learned.item[i];

		for (size_t k = 0; learned->slot == slot && k < learned->list.count; k++) {
			const struct module *module = &learned->list.item[k];
			size_t at;

			if (find_room(maps, module, &at))
				list_insert(&maps->list, &maps->room, at, copy_module(module));
		}
	}
}

/* The newest module mapped by then has precedence; later ones fill what is free. */
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

/* When the process's image at that time began; 0: with its start. */
static uint64_t image_start_ns(const struct fact_process *process, uint64_t time_ns)
{
	if (process->slot->exec_ns && process->slot->exec_ns <= time_ns)
		return process->slot->exec_ns;
	return process->exec_ns && process->exec_ns <= time_ns ? process->exec_ns : 0;
}

const struct modules *maps_at(struct maps *maps, uint32_t slot, uint64_t time_ns)
{
	const struct reader *reader = maps->reader;

	for (uint32_t i = 0; i < maps->learned.count; i++)
		if (maps->learned.item[i].slot == slot && time_ns >= maps->learned.item[i].time_ns)
			return &maps->learned.item[i].list;
	if (maps->list.count && maps->slot == slot && maps->time_ns == time_ns &&
	    maps->known == reader->modules.count)
		return &maps->list;
	list_clear(&maps->list);
	maps->slot = slot;
	maps->time_ns = time_ns;
	maps->root = session_root(&reader->session, slot);
	maps->known = reader->modules.count;
	READER_EACH_ANCESTOR(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];
		uint64_t from_ns = image_start_ns(&reader->processes[slot], time_ns);

		maps_add_own(maps, slot, from_ns, time_ns);
		if (from_ns)
			break;
		time_ns = process->birth_ns;
	}
	maps_add_learned(maps, maps->slot);
	maps->list.made = next_number();
	return &maps->list;
}

/* Where another file may have the same path, it tells which one was mapped. */
static char *learn_build_id(const struct learned *learned, const char *path, uint64_t base)
{
	char text[BUILD_ID_TEXT];

	return (learned->root || root_is_deleted(path)) && build_id_at(learned->pid, base, text) ?
		       text_copy(text) :
		       NULL;
}

/* The mappings of a file are contiguous; the first one is its lowest segment. */
static void learn_mapping(struct learned *learned, const struct procmap *at)
{
	struct modules *list = &learned->list;
	struct module *last = list->count ? &list->item[list->count - 1] : NULL;

	if (!*at->path && last && last->end == at->start)
		last->end = at->end; /* its .bss */
	if (!strcmp(at->path, "[vdso]")) {
		learned->vdso = at->start;
		learned->vdso_end = at->end;
	}
	if (*at->path != '/')
		return;
	if (last && !strcmp(last->path, at->path)) {
		last->end = at->end;
		return;
	}
	list_insert(list, &learned->room, list->count,
		    (struct module){
			    .base = at->start,
			    .end = at->end,
			    .path = text_copy(at->path),
			    .build_id = learn_build_id(learned, at->path, at->start),
			    .root = learned->root,
			    .inode = at->inode,
			    .mapped = root_mapped(learned->pid, at->path, at->start, at->end),
		    });
}

/* In a hole of the loader its code would be taken for the loader's; anywhere else it is of no interest. */
static void learn_vdso(struct learned *learned)
{
	struct modules *list = &learned->list;

	for (size_t i = 0; i < list->count; i++)
		if (list->item[i].base < learned->vdso && learned->vdso < list->item[i].end) {
			list_insert(list, &learned->room, i + 1,
				    (struct module){.base = learned->vdso,
						    .end = learned->vdso_end,
						    .path = text_copy("linux-vdso.so.1"),
						    .root = learned->root});
			return;
		}
}

/* Replaces an older list of the same process. */
static void keep_learned(struct maps *maps, struct learned *learned)
{
	for (uint32_t i = 0; i < maps->learned.count; i++) {
		struct learned *known = &maps->learned.item[i];

		if (known->slot != learned->slot)
			continue;
		learned->time_ns = known->time_ns;
		list_clear(&known->list);
		free(known->list.item);
		*known = *learned;
		return;
	}
	*ARRAY_ADD(&maps->learned) = *learned;
}

void maps_learn(struct maps *maps, uint32_t slot, uint32_t pid, uint64_t time_ns)
{
	struct learned learned = {.slot = slot,
				  .pid = pid,
				  .time_ns = time_ns,
				  .root = session_root(&maps->reader->session, slot)};
	struct procmaps_walk walk = procmaps_begin(pid);

	while (procmaps_next(&walk))
		learn_mapping(&learned, &walk.at);
	procmaps_end(&walk);
	learn_vdso(&learned);
	learned.list.made = next_number();
	if (learned.list.count)
		keep_learned(maps, &learned);
	list_clear(&maps->list); /* made without it */
}

void maps_forget(struct maps *maps, uint32_t slot)
{
	for (uint32_t i = 0; i < maps->learned.count; i++)
		if (maps->learned.item[i].slot == slot) {
			list_clear(&maps->learned.item[i].list);
			free(maps->learned.item[i].list.item);
			maps->learned.item[i] = maps->learned.item[--maps->learned.count];
			return;
		}
}
