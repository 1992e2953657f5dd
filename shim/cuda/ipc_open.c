/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens and closes exports, one thread at a time. Each mapping has an entry in the registry, under
 * this process and the identity of its handle: so the living importers of an export are always
 * known, and no count is wrong after a death.
 */
#include "ipc_open.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "cuda.h"
#include "export_table.h"
#include "ipc_map.h"
#include "registry.h"

#define PATIENCE_NS 50000 /* until a thread checks its turn again */

/*
 * The driver's count of a mapping and the library's change together, so threads open and close one
 * after the other. The word is the number of the thread whose turn it is. A thread that was
 * cancelled in the driver, or not copied by a fork, is not waited for, nor is the thread itself, in
 * a signal handler.
 */
static uint32_t turn;

static bool take_turn(void)
{
	const struct timespec patience = {.tv_nsec = PATIENCE_NS};
	uint32_t me = sys_tid();

	for (;;) {
		uint32_t has = 0;

		if (__atomic_compare_exchange_n(&turn, &has, me, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return true;
		if (has == me)
			return false;
		if (!sys_thread_alive(life.pid, has) &&
		    __atomic_compare_exchange_n(&turn, &has, me, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return true;
		SYS2(SYS_nanosleep, &patience, NULL);
	}
}

static void give_turn(bool mine)
{
	if (mine)
		__atomic_store_n(&turn, 0, __ATOMIC_RELEASE);
}

#define OWN (life.slot | MPSAN_EXPORT_IMPORT)

static struct mpsan_export_place *own_import(uint64_t handle, struct mpsan_export_place *copy)
{
	struct ranges *table = export_table_table(false);

	return table ? ranges_find(table, OWN, handle, copy) : NULL;
}

/* Adds a user to an existing mapping; false: there is none. */
static bool ipc_open_join(const struct mpsan_export_place *of, uint64_t *mapped)
{
	struct mpsan_export_place copy, *place = own_import(of->handle, &copy);
	struct cuda_memory memory;
	uint32_t count = 0;

	if (!place)
		return false;
	if (cuda_memory_find(copy.mapped, &memory) && memory.handle == of->handle)
		count = __atomic_load_n(&place->count, __ATOMIC_ACQUIRE);
	else /* closed by a call of the program itself */
		export_table_drop(place, &copy);
	while (count && !__atomic_compare_exchange_n(&place->count, &count, count + 1, false,
						     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	if (count)
		*mapped = copy.mapped;
	return count && ranges_same(place, &copy);
}

static void ipc_open_enter(const struct opening *o)
{
	struct mpsan_export_place *place = export_table_claim(OWN, o->of->handle, 1);

	cuda_memory_imported(o->mapped, o->of->bytes, o->of->handle, o->caller);
	if (!place)
		return;
	registry_owns();
	place->memory = o->of->memory;
	place->device = o->of->device;
	place->gpu = o->of->gpu;
	place->handle = o->of->handle;
	place->fd = -1;
	place->flags = MPSAN_EXPORT_AUTO;
	place->born_ns = sys_now();
	place->of_start = o->of->start;
	place->of_slot = o->of->owner;
	place->count = 1;
	place->mapped = o->mapped;
	place->bytes_mapped = o->of->bytes;
	place->caller = o->caller;
	ranges_publish(place);
}

static void state_open(const struct opening *o)
{
	const struct mpsan_export_place *of = o->of;

	EMIT(ipc_open, .handle = of->handle, .memory = of->memory, .address = o->mapped,
	     .bytes = of->bytes, .device = (uint64_t)(int64_t)of->device, .gpu = of->gpu,
	     .result = o->result,
	     .flags = MPSAN_IPC_AUTO |
		      (o->result == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ? MPSAN_IPC_NO_PEER : 0),
	     .owner_slot = of->owner + 1, .owner_base = of->start, .owner_born = of->born_ns,
	     .owner_stack = of->stack, .owner_python = of->python,
	     .function = log_text("mpsan_ipc_open"), .caller = o->caller, .stack = stack_own(),
	     .python = stack_python(0));
}

static int find_export(const struct mpsan_export *exported, struct mpsan_export_place *of,
		       struct mpsan_export_place **place)
{
	int result;

	if (exported->owner == life.slot || exported->offset >= exported->bytes)
		return -EINVAL;
	if (cuda.inherited)
		return -ECHILD;
	result = export_table_find(exported->owner, exported->base, of, place);
	if (result == -ENOENT)
		return export_table_lives(exported->owner) ? -ESTALE : -ESRCH;
	if (!result && (of->born_ns != exported->born_ns || of->start != exported->base))
		return -ESTALE;
	return result;
}

int ipc_open_check(const struct mpsan_export *exported)
{
	struct mpsan_export_place of, *place;

	return find_export(exported, &of, &place);
}

static int open_in_turn(struct opening *o, struct mpsan_export_place *place)
{
	int result;

	if (ipc_open_join(o->of, &o->mapped))
		return 0;
	if (!export_table_opened(place, o->of))
		return -ESTALE;
	result = ipc_map_has_context(o->caller) ? ipc_map_open(o) : -ENODEV;
	if (!result || o->result)
		state_open(o);
	if (!result)
		ipc_open_enter(o);
	return result;
}

int ipc_open_open(const struct mpsan_export *exported, uint64_t caller, void **pointer)
{
	struct mpsan_export_place of, *place;
	struct opening o = {.of = &of, .caller = caller};
	int result = find_export(exported, &of, &place);
	bool mine;

	if (result)
		return result;
	o.place = place;
	mine = take_turn();
	result = open_in_turn(&o, place);
	give_turn(mine);
	if (!result)
		*pointer = (void *)(uintptr_t)(o.mapped + exported->offset);
	return result;
}

/* Removes a user; true: it was the last. */
static bool ipc_open_leave(struct mpsan_export_place *place)
{
	uint32_t count = __atomic_load_n(&place->count, __ATOMIC_ACQUIRE);

	while (count && !__atomic_compare_exchange_n(&place->count, &count, count - 1, false,
						     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return count == 1;
}

static int close_in_turn(uint64_t address, uint64_t caller)
{
	struct mpsan_export_place copy, *place;
	struct cuda_memory memory;

	if (!cuda_memory_find(address, &memory) || memory.memory != MPSAN_MEMORY_IMPORTED)
		return -EINVAL;
	place = own_import(memory.handle, &copy);
	if (!place || copy.mapped != memory.range.start)
		return -EINVAL;
	if (!ipc_open_leave(place))
		return 0;
	EMIT(ipc_close, .handle = copy.handle, .address = copy.mapped,
	     .function = log_text("mpsan_ipc_close"), .caller = caller, .stack = stack_own(),
	     .python = stack_python(0));
	export_table_drop(place, &copy);
	cuda_memory_gone(copy.mapped, &memory);
	return ipc_map_errno(ipc_map_unmap(&copy, caller)) ? -EIO : 0;
}

int ipc_open_close(uint64_t address, uint64_t caller)
{
	bool mine = take_turn();
	int result = close_in_turn(address, caller);

	give_turn(mine);
	return result;
}
