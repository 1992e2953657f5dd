/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mpsan_ipc_ functions of include/mpsan.h: finding, naming and opening device memory of other
 * processes.
 */
#define MPSAN_LIBRARY
#include "../../include/mpsan.h"

#include <string.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/state.h"
#include "../record/table.h"
#include "cuda.h"
#include "export_table.h"
#include "ipc_map.h"
#include "ipc_open.h"
#include "registry.h"

_Static_assert(sizeof(struct mpsan_export) == 160, "what others have laid out by hand");

static void ipc_describe(const struct mpsan_export_place *copy, uint64_t address,
			 struct mpsan_export *found)
{
	struct ranges *table = export_table_table(false);
	struct mpsan_export_place label;

	*found = (struct mpsan_export){
		.pid = (int32_t)life.table[copy->owner].pid,
		.device = copy->device,
		.base = copy->start,
		.bytes = copy->bytes,
		.offset = address - copy->start,
		.born_ns = copy->born_ns,
		.handle = copy->handle,
		.gpu = copy->gpu,
		.owner = copy->owner,
		.kind = copy->memory,
	};
	if (copy->name_hash && ranges_find(table, MPSAN_EXPORT_NAMED, copy->name_hash, &label) &&
	    label.of_slot == copy->owner && label.of_start == copy->start)
		memcpy(found->name, label.name, sizeof(found->name));
}

static int ipc_find(uint32_t pid, uint64_t address, struct mpsan_export *found)
{
	struct mpsan_export_place copy, *place;
	uint32_t slot = table_find(life.session, pid, life.pid_ns);
	int result;

	if (slot == TABLE_NO_SLOT)
		return -ESRCH;
	result = export_table_find(slot, address, &copy, &place);
	if (result == -ENOENT && !export_table_lives(slot))
		return -ESRCH;
	if (!result)
		ipc_describe(&copy, address, found);
	return result;
}

EXPORT int mpsan_ipc_find(int pid, const void *address, struct mpsan_export *found)
{
	int result = -ENOSYS;

	if (!found || !address)
		return -EINVAL;
	if (life_may_state())
		GUARDED
			result = ipc_find((uint32_t)pid, (uint64_t)(uintptr_t)address, found);
	return result;
}

static int find_name(const char *name, struct mpsan_export *found)
{
	struct mpsan_export_place copy, *place;
	int result = export_table_find_name(name, &copy, &place);

	if (!result)
		ipc_describe(&copy, copy.start, found);
	return result;
}

EXPORT int mpsan_ipc_find_name(const char *name, struct mpsan_export *found)
{
	int result = -ENOSYS;

	if (!name || !found)
		return -EINVAL;
	if (life_may_state())
		GUARDED
			result = find_name(name, found);
	return result;
}

/* ---- names ---- */

/* This process's export that contains the address, created if necessary. */
static int own_export(uint64_t address, struct mpsan_export_place *copy,
		      struct mpsan_export_place **place)
{
	struct cuda_memory memory, *known;
	int result = export_table_find(life.slot, address, copy, place);

	if (!result)
		return 0;
	known = cuda_memory_at(CUDA_ADDRESSES, address, &memory);
	if (!known)
		return -ENOENT;
	result = registry_enter(&memory);
	if (result)
		return result == -EMFILE ? -ENOSPC : result;
	known->registry = memory.registry;
	known->handle = memory.handle;
	known->device = memory.device;
	known->gpu = memory.gpu;
	return export_table_find(life.slot, address, copy, place);
}

/* Whether the name is free for that export; removes a name of a dead process. */
static int free_name(uint64_t hash, const struct mpsan_export_place *of)
{
	struct mpsan_export_place label, *place;

	if (export_table_find(MPSAN_EXPORT_NAMED, hash, &label, &place) < 0)
		return 0;
	return label.of_slot == of->owner && label.of_start == of->start ? 1 : -EEXIST;
}

static int name_export(uint64_t address, const char *name)
{
	uint64_t hash = export_table_name_hash(name);
	struct mpsan_export_place copy, *place, *label;
	int result = own_export(address, &copy, &place);

	if (!result)
		result = free_name(hash, &copy);
	if (result)
		return result > 0 ? 0 : result;
	label = export_table_claim(MPSAN_EXPORT_NAMED, hash, 1);
	if (!label)
		return -ENOSPC;
	label->of_slot = life.slot;
	label->of_start = copy.start;
	label->born_ns = copy.born_ns;
	text_put(label->name, label->name + sizeof(label->name), name);
	ranges_publish(label);
	export_table_unname(&copy);
	__atomic_store_n(&place->name_hash, hash, __ATOMIC_SEQ_CST);
	return 0;
}

EXPORT int mpsan_ipc_name(const void *address, const char *name)
{
	int result = -ENOSYS;

	if (!address || !name || !*name)
		return -EINVAL;
	if (life_may_state())
		GUARDED
			result = name_export((uint64_t)(uintptr_t)address, name);
	return result;
}

/* ---- mappings ---- */

EXPORT int mpsan_ipc_open(const struct mpsan_export *exported, void **pointer)
{
	int result = -ENOSYS;

	if (!exported || !pointer)
		return -EINVAL;
	if (!life_may_state())
		return result;
	GUARDED {
		result = ipc_open_check(exported);
		if (result == -ECHILD)
			cuda_refused_child("mpsan_ipc_open", CALLER);
	}
	if (result) /* an invalid call must not initialise CUDA */
		return result;
	ipc_map_prepare(CALLER);
	GUARDED
		result = ipc_open_open(exported, CALLER, pointer);
	return result;
}

EXPORT int mpsan_ipc_close(void *pointer)
{
	int result = -ENOSYS;

	if (life_may_state())
		GUARDED
			result = ipc_open_close((uint64_t)(uintptr_t)pointer, CALLER);
	return result;
}
