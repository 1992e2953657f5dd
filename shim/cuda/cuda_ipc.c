/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records exports, opens and closes as events; allocations only enter the private table.
 * cuda_ending.c records frees.
 */
#include "cuda_ipc.h"

#include <string.h>
#include <sys/prctl.h>

#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/state.h"
#include "registry.h"

void cuda_made(const struct cuda_call *call, uint64_t address, uint64_t bytes,
	       enum mpsan_memory memory, uint64_t object)
{
	struct cuda_memory m = {
		.range = {.owner = CUDA_ADDRESSES, .start = address, .bytes = bytes},
		.memory = memory,
		.device = -1,
		.object = object,
		.caller = call->caller,
	};

	if (!address || !bytes)
		return;
	if (UNLIKELY(registry_wants(bytes)) && memory != MPSAN_MEMORY_IMPORTED)
		GUARDED
			registry_born(&m);
	cuda_memory_add(&m);
}

void cuda_object_made(const struct cuda_call *call, enum cuda_space space, uint64_t object,
		      uint64_t bytes, uint64_t imported)
{
	struct cuda_memory m = {
		.range = {.owner = space, .start = object, .bytes = 1},
		.memory = space == CUDA_POOLS ? MPSAN_MEMORY_POOL : MPSAN_MEMORY_VMM,
		.flags = imported ? CUDA_MEMORY_IMPORTED : 0,
		.device = -1,
		.handle = imported,
		.object = bytes,
		.caller = call->caller,
		.references = 1,
	};

	cuda_memory_add(&m);
}

void cuda_retained(uint64_t handle)
{
	struct cuda_memory known, *place = cuda_memory_at(CUDA_VMM_HANDLES, handle, &known);

	if (place)
		__atomic_fetch_add(&place->references, 1, __ATOMIC_RELAXED);
}

void cuda_mapped(const struct cuda_call *call, uint64_t address, uint64_t bytes, uint64_t handle)
{
	struct cuda_memory known, *place = cuda_memory_at(CUDA_VMM_HANDLES, handle, &known);

	if (place)
		__atomic_fetch_add(&place->mappings, 1, __ATOMIC_RELAXED);
	cuda_made(call, address, bytes,
		  place && known.flags & CUDA_MEMORY_IMPORTED ? MPSAN_MEMORY_IMPORTED :
								MPSAN_MEMORY_VMM,
		  handle);
}

/*
 * Whether this is a DataLoader worker, by its thread's name; ev_process_name.work says so, too, if
 * Python could be read.
 */
static bool is_worker(void)
{
	char name[16] = "";

	return SYS2(SYS_prctl, PR_GET_NAME, name) == 0 && text_starts(name, "pt_data_worker");
}

static uint64_t flags_of(const struct cuda_memory *m)
{
	bool imported = m->memory == MPSAN_MEMORY_IMPORTED || m->flags & CUDA_MEMORY_IMPORTED;

	cuda.unsignalled |= cuda.unsynced;
	return (cuda.unsynced ? MPSAN_IPC_UNSYNCED : 0) | (imported ? MPSAN_IPC_IMPORTED : 0) |
	       (modules_have_torch() ? MPSAN_IPC_TORCH : 0);
}

/* Fills in what is unknown of memory, which is everything if its allocation was not seen. */
static void cuda_ipc_complete(struct cuda_memory *m, uint64_t address, uint64_t caller)
{
	__typeof__(&cuMemGetAddressRange_v2) range = CUDA_REAL(cuMemGetAddressRange_v2, caller);
	CUdeviceptr base = 0;
	size_t bytes = 0;

	if (!m->range.bytes && range && range(&base, &bytes, address) == CUDA_SUCCESS) {
		m->range.start = base;
		m->range.bytes = bytes;
	}
	cuda_memory_device(m, address, caller);
}

/* The kind of memory whose allocation was not seen, from the driver. */
static enum mpsan_memory kind_of(uint64_t address, uint64_t caller)
{
	__typeof__(&cuPointerGetAttribute) ask = CUDA_REAL(cuPointerGetAttribute, caller);
	unsigned value = 0;

	if (!ask || !address)
		return MPSAN_MEMORY_UNKNOWN;
	if (ask(&value, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) == CUDA_SUCCESS && (value & 0xff))
		return MPSAN_MEMORY_MANAGED;
	if (ask(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_SUCCESS &&
	    value == CU_MEMORYTYPE_HOST)
		return MPSAN_MEMORY_HOST;
	return MPSAN_MEMORY_UNKNOWN;
}

static void state_refused(const struct cuda_call *call, int result, enum mpsan_memory memory,
			  uint64_t address)
{
	struct cuda_where where = cuda_where(call);
	bool other = memory != MPSAN_MEMORY_UNKNOWN && memory != MPSAN_MEMORY_DEVICE &&
		     memory != MPSAN_MEMORY_IMPORTED;

	EMIT(ipc_refused, .function = where.function, .result = (uint64_t)(int64_t)result,
	     .cause = other ? MPSAN_CAUSE_MEMORY : MPSAN_CAUSE_UNKNOWN, .memory = memory,
	     .address = address, .caller = where.caller, .stack = where.stack,
	     .python = where.python);
}

/*
 * Whether this export was recorded before: the same handle of the same memory in the same
 * circumstances.
 */
static bool cuda_ipc_is_known(const struct cuda_memory *m, uint64_t handle, uint64_t flags)
{
	return m->flags & CUDA_MEMORY_EXPORTED && m->handle == handle &&
	       !(flags * CUDA_MEMORY_STATED & ~(uint64_t)m->flags);
}

static void state_export(const struct cuda_call *call, struct cuda_memory *m,
			 enum mpsan_memory memory, uint64_t handle)
{
	uint64_t flags = flags_of(m);
	struct cuda_where where;

	if (cuda_ipc_is_known(m, handle, flags)) /* before the stack is read */
		return;
	where = cuda_where(call);
	flags = flags_of(m) | (is_worker() ? MPSAN_IPC_WORKER : 0);
	m->flags |= CUDA_MEMORY_EXPORTED | (uint32_t)(flags * CUDA_MEMORY_STATED);
	log_append_of(
		call->since, EV_ipc_export,
		&(struct ev_ipc_export){
			.handle = handle,
			.memory = memory,
			.base = m->range.owner == CUDA_ADDRESSES ? m->range.start : 0,
			.bytes = m->range.owner == CUDA_ADDRESSES ? m->range.bytes : m->object,
			.device = (uint64_t)(int64_t)m->device,
			.gpu = m->gpu,
			.flags = flags,
			.function = where.function,
			.caller = where.caller,
			.stack = where.stack,
			.python = where.python,
		},
		sizeof(struct ev_ipc_export));
	m->handle = handle;
}

/* Writes what was learned back to the table. */
static void cuda_ipc_keep(struct cuda_memory *place, const struct cuda_memory *m)
{
	if (!place) {
		cuda_memory_add(m);
		return;
	}
	if (!ranges_same(place, m))
		return;
	place->flags = m->flags;
	place->device = m->device;
	place->gpu = m->gpu;
	place->handle = m->handle;
	place->registry = m->registry;
}

void cuda_exported(const struct cuda_call *call, int result, enum mpsan_memory memory,
		   uint64_t address, uint64_t handle, const void *bytes)
{
	struct cuda_memory m, *place = cuda_memory_at(CUDA_ADDRESSES, address, &m);

	if (!life_may_state())
		return;
	GUARDED {
		if (!place)
			m = (struct cuda_memory){.memory = kind_of(address, call->caller),
						 .device = -1,
						 .caller = call->caller};
		if (result) {
			state_refused(call, result, (enum mpsan_memory)m.memory, address);
		} else {
			cuda_ipc_complete(&m, address, call->caller);
			if (!m.memory)
				m.memory = memory;
			state_export(call, &m, memory, handle);
			registry_exported(&m, bytes, CU_IPC_HANDLE_SIZE);
			cuda_ipc_keep(place, &m);
		}
	}
}

void cuda_object_exported(const struct cuda_call *call, int result, enum cuda_space space,
			  uint64_t object, uint64_t handle)
{
	enum mpsan_memory memory = space == CUDA_POOLS ? MPSAN_MEMORY_POOL : MPSAN_MEMORY_VMM;
	struct cuda_memory m, *place = cuda_memory_at(space, object, &m);

	if (!life_may_state())
		return;
	if (!place)
		m = (struct cuda_memory){.range = {.owner = space, .start = object, .bytes = 1},
					 .memory = memory,
					 .device = -1,
					 .caller = call->caller,
					 .references = 1};
	GUARDED {
		if (result) {
			state_refused(
				call, result,
				m.flags & CUDA_MEMORY_IMPORTED ? MPSAN_MEMORY_IMPORTED : memory, 0);
		} else {
			m.device = m.device < 0 ? cuda_current_device(call->caller) : m.device;
			m.gpu = m.device < 0 ? 0 : cuda_gpu(m.device, call->caller);
			state_export(call, &m, memory, handle);
			cuda_ipc_keep(place, &m);
		}
	}
}

bool cuda_is_open(uint64_t handle, int change)
{
	struct cuda_memory m = {.range = {.owner = CUDA_OPEN_HANDLES,
					  .start = handle >> 1,
					  .bytes = 1},
				.references = 1},
			   known, *place;

	if (!handle)
		return false;
	if (change < 0)
		return cuda_memory_gone_from(CUDA_OPEN_HANDLES, handle >> 1, &known);
	place = cuda_memory_at(CUDA_OPEN_HANDLES, handle >> 1, &known);
	if (change > 0 && (!place || !cuda_memory_join(place, &known)))
		cuda_memory_add(&m);
	return place && known.references;
}

static uint64_t peer_flag(int result, int device, uint64_t caller)
{
	__typeof__(&cuDeviceCanAccessPeer) ask = CUDA_REAL(cuDeviceCanAccessPeer, caller);
	int current, can = 1;

	if (result)
		return result == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ? MPSAN_IPC_NO_PEER : 0;
	current = cuda_current_device(caller);
	if (device < 0 || current < 0 || device == current || !ask ||
	    ask(&can, current, device) != CUDA_SUCCESS)
		can = 1;
	return can ? 0 : MPSAN_IPC_NO_PEER;
}

/* Records, as a limit, memory without an identity: its owner cannot be determined. */
static void state_unknown(void)
{
	static bool stated;

	if (!stated)
		EMIT(limit,
		     .what = log_text("memory of other processes whose owner is not known: it "
				      "came by a descriptor that was sent"),
		     .count = 1);
	stated = true;
}

void cuda_opened(const struct cuda_call *call, int result, enum mpsan_memory memory,
		 uint64_t address, uint64_t handle)
{
	struct cuda_memory m = {.memory = MPSAN_MEMORY_IMPORTED, .device = -1};
	struct cuda_where where;
	bool again;

	if (!life_may_state())
		return;
	GUARDED {
		again = cuda_is_open(handle, result ? 0 : 1);
		if (!result && !handle)
			state_unknown();
		if (!result && address) {
			cuda_ipc_complete(&m, address, call->caller);
			cuda_memory_imported(address, m.range.bytes, handle, call->caller);
			m.range.start = address;
		} else {
			m.device = cuda_current_device(call->caller);
			m.gpu = m.device < 0 ? 0 : cuda_gpu(m.device, call->caller);
		}
		where = cuda_where(call);
		EMIT(ipc_open, .handle = handle, .memory = memory, .address = result ? 0 : address,
		     .bytes = m.range.bytes, .device = (uint64_t)(int64_t)m.device, .gpu = m.gpu,
		     .result = (uint64_t)(int64_t)result, .since = call->since,
		     .flags = (again ? MPSAN_IPC_AGAIN : 0) |
			      peer_flag(result, m.device, call->caller) |
			      (modules_have_torch() ? MPSAN_IPC_TORCH : 0),
		     .function = where.function, .caller = where.caller, .stack = where.stack,
		     .python = where.python);
		if (!result && address)
			registry_imported(&m, handle);
	}
}

/* Records interprocess events as their number doubles. */
void cuda_event_made(const struct cuda_call *call)
{
	uint32_t made = __atomic_add_fetch(&cuda.events, 1, __ATOMIC_RELAXED);

	if (made & (made - 1) || !life_may_state())
		return;
	GUARDED
		EMIT(ipc_event, .made = made, .function = log_text(hook_name(call->id)),
		     .caller = call->caller);
}

/* An exported event may be used to wait for work on memory that was exported before. */
void cuda_event_exported(const struct cuda_call *call)
{
	if (!cuda.unsignalled || !life_may_state())
		return;
	cuda.unsignalled = false;
	GUARDED
		EMIT(ipc_event, .made = 0, .function = log_text(hook_name(call->id)),
		     .caller = call->caller);
}
