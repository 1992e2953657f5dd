/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frees and closes of device memory (declared in cuda_ipc.h): the free of memory that other
 * processes may have open is an event, announced before the call. cuda_ipc.c records how they got
 * it, cuda_memory.c has the table.
 */
#include "../common/proof_rule.h"
#include "../intercept/sys.h"
#include "../record/finding_line.h"
#include "../record/log.h"
#include "../record/state.h"
#include "cuda_ipc.h"
#include "registry.h"

static bool is_imported(const struct cuda_memory *m)
{
	return m->flags & CUDA_MEMORY_IMPORTED ||
	       (m->memory == MPSAN_MEMORY_IMPORTED && !m->object);
}

static uint64_t announce_close(const struct cuda_call *call, const struct cuda_memory *m)
{
	struct cuda_where where = cuda_where(call);

	cuda_is_open(m->handle, -1);
	registry_unimported(m->handle);
	return ANNOUNCE(0, ipc_close, .handle = m->handle,
			.address = m->range.owner == CUDA_ADDRESSES ? m->range.start : 0,
			.function = where.function, .caller = where.caller, .stack = where.stack,
			.python = where.python);
}

static uint64_t memory_of(const struct cuda_memory *m)
{
	return m->memory == MPSAN_MEMORY_POOL && m->range.owner == CUDA_ADDRESSES ?
		       MPSAN_MEMORY_POOL_POINTER :
		       m->memory;
}

static uint64_t announce_free(const struct cuda_call *call, const struct cuda_memory *m)
{
	bool address = m->range.owner == CUDA_ADDRESSES;
	struct cuda_where where = cuda_where(call);

	return ANNOUNCE(0, ipc_free, .handle = m->handle, .memory = memory_of(m),
			.base = address ? m->range.start : 0,
			.bytes = address ? m->range.bytes : m->object, .function = where.function,
			.caller = where.caller, .stack = where.stack, .python = where.python);
}

/* Another process that has memory open which is about to be freed; only a free that will be said. */
static uint32_t user_of(const struct cuda_call *call, const struct cuda_memory *m)
{
	return finding_line_is_due(proof_rule_free(memory_of(m)), call->caller) ? registry_user(m) :
										  0;
}

static void print_free(const struct cuda_ending *ending, const struct cuda_call *call)
{
	char address[24], bytes[24], user[16];
	const char *const text[] = {hook_name(call->id),
				    " freed ",
				    bytes,
				    " bytes of device memory at 0x",
				    address,
				    " while process ",
				    user,
				    " had them open",
				    NULL};

	text_put_number(address, address + sizeof(address), ending->memory.range.start, 16);
	text_put_number(bytes, bytes + sizeof(bytes), ending->memory.range.bytes, 10);
	text_put_number(user, user + sizeof(user), ending->user, 10);
	finding_line_at(proof_rule_free(memory_of(&ending->memory)), call->caller, text);
}

/*
 * Announces the free of exported memory; other memory needs no event. After the call another thread
 * may get the same address or handle.
 */
static void announce_end(struct cuda_ending *ending, const struct cuda_call *call)
{
	const struct cuda_memory *m = &ending->memory;
	bool imported = is_imported(m), exported = m->flags & CUDA_MEMORY_EXPORTED;

	ending->close = ending->free = 0;
	ending->user = 0;
	if (!(imported || exported || ending->opened) || !life_may_state())
		return;
	GUARDED {
		if (imported)
			ending->close = announce_close(call, m);
		if (!imported || exported) {
			ending->free = announce_free(call, m);
			ending->user = imported ? 0 : user_of(call, m);
		}
	}
}

/* Drops a reference or a mapping of a VMM handle, which lives until the last of them is gone. */
static void let_go(const struct cuda_call *call, uint64_t handle, bool mapping)
{
	struct cuda_ending ending = {.opened = false};
	struct cuda_memory m, *place = cuda_memory_at(CUDA_VMM_HANDLES, handle, &m);
	uint32_t *count = !place ? NULL : mapping ? &place->mappings : &place->references;

	if (!count || !__atomic_load_n(count, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL);
	if (place->mappings || place->references)
		return;
	ending.known = cuda_memory_take(CUDA_VMM_HANDLES, handle, &ending.memory);
	if (ending.known)
		announce_end(&ending, call);
}

void cuda_released(const struct cuda_call *call, uint64_t handle)
{
	let_go(call, handle, false);
}

void cuda_ending(struct cuda_ending *ending, const struct cuda_call *call, enum cuda_space space,
		 uint64_t key)
{
	ending->known = ending->opened = false;
	if (!call->outermost || cuda.inherited || hook_off || !key)
		return;
	ending->known = space == CUDA_ADDRESSES ? cuda_memory_gone(key, &ending->memory) :
						  cuda_memory_take(space, key, &ending->memory);
	if (space == CUDA_POOLS)
		registry_pool_gone(key);
	if (ending->known && ending->memory.registry)
		ending->opened = registry_gone(&ending->memory);
	if (ending->known)
		announce_end(ending, call);
}

/* The free failed: enters the memory in the registry again. */
static void put_back(struct cuda_memory *m)
{
	struct cuda_memory known, *place = m->references > 1 ?
						   cuda_memory_at((enum cuda_space)m->range.owner,
								  m->range.start, &known) :
						   NULL;

	m->registry = 0;
	if (place)
		__atomic_fetch_add(&place->references, 1, __ATOMIC_RELAXED);
	else
		cuda_memory_add(m);
}

/* The close failed: the handle is still open. */
static void reopen(struct cuda_memory *m)
{
	GUARDED {
		cuda_is_open(m->handle, 1);
		registry_imported(m, m->handle);
	}
}

void cuda_ended(const struct cuda_ending *ending, const struct cuda_call *call, int result)
{
	struct cuda_memory m;

	if (!ending->known)
		return;
	m = ending->memory;
	log_settle(0, ending->close, !result);
	log_settle(0, ending->free, !result);
	if (!result && ending->user)
		print_free(ending, call);
	if (result) {
		if (ending->close)
			reopen(&m);
		put_back(&m);
		return;
	}
	if (m.range.owner == CUDA_ADDRESSES &&
	    (m.memory == MPSAN_MEMORY_VMM || m.memory == MPSAN_MEMORY_IMPORTED) && m.object)
		let_go(call, m.object, true);
}

/* Whether this memory is freed with the context; if unknown, assumes one device per process. */
static bool goes_with(const struct cuda_memory *m, int device, CUcontext context, uint64_t caller)
{
	__typeof__(&cuPointerGetAttribute) ask = CUDA_REAL(cuPointerGetAttribute, caller);
	CUcontext its = NULL;
	int where = m->device;

	if (m->range.owner != CUDA_ADDRESSES)
		return false;
	if (context)
		return ask &&
		       ask(&its, CU_POINTER_ATTRIBUTE_CONTEXT, m->range.start) == CUDA_SUCCESS &&
		       its == context;
	if (where < 0 && (!ask || ask(&where, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
				      m->range.start) != CUDA_SUCCESS))
		return !(cuda.devices & (cuda.devices - 1));
	return where == device;
}

void cuda_context_ending(const struct cuda_call *call, int device, CUcontext context)
{
	struct cuda_memory m, *place;
	uint64_t at = 0;

	if (!call->outermost || cuda.inherited || !life_may_state())
		return;
	GUARDED
		while ((place = cuda_memory_next(&at, &m)))
			if (goes_with(&m, device, context, call->caller))
				place->flags |= CUDA_MEMORY_ENDING;
}

void cuda_context_ended(const struct cuda_call *call, bool gone)
{
	struct cuda_memory m, *place;
	struct cuda_ending ending;
	uint64_t at = 0;

	while ((place = cuda_memory_next(&at, &m))) {
		if (!(m.flags & CUDA_MEMORY_ENDING))
			continue;
		place->flags &= ~(uint32_t)CUDA_MEMORY_ENDING;
		for (uint32_t users = m.references ? m.references : 1; gone && users; users--) {
			cuda_ending(&ending, call, CUDA_ADDRESSES, m.range.start);
			cuda_ended(&ending, call, 0);
		}
	}
}
