/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records allocations, IPC exports, opens, closes and frees, from the hooks; all check whether the
 * call succeeded. See cuda.h, hooks/cuda_*.c.
 */
#pragma once

#include "cuda.h"

/* New memory; `object` is its pool. With --auto-export its handle is created here. */
void cuda_made(const struct cuda_call *call, uint64_t address, uint64_t bytes,
	       enum mpsan_memory memory, uint64_t object);
/* A new VMM handle, of this process or of another; or a pool. */
void cuda_object_made(const struct cuda_call *call, enum cuda_space space, uint64_t object,
		      uint64_t bytes, uint64_t imported);
/* A reference to a VMM handle, or a mapping of it at that address, was added or dropped. */
void cuda_retained(uint64_t handle);
void cuda_released(const struct cuda_call *call, uint64_t handle);
void cuda_mapped(const struct cuda_call *call, uint64_t address, uint64_t bytes, uint64_t handle);

/* A handle was requested; `handle` is its identity. */
void cuda_exported(const struct cuda_call *call, int result, enum mpsan_memory memory,
		   uint64_t address, uint64_t handle, const void *bytes);
/* As cuda_exported, for a VMM handle or a pool. */
void cuda_object_exported(const struct cuda_call *call, int result, enum cuda_space space,
			  uint64_t object, uint64_t handle);
/* An open of another process's memory. */
void cuda_opened(const struct cuda_call *call, int result, enum mpsan_memory memory,
		 uint64_t address, uint64_t handle);

/* Whether this process has a handle open; `change` (1, -1, 0) adjusts the count. */
bool cuda_is_open(uint64_t handle, int change);

/*
 * Memory that is about to be freed or closed, looked up and announced before the real call: its
 * address may be reused.
 */
struct cuda_ending {
	struct cuda_memory memory;
	bool known, opened;
	uint32_t user; /* PID of a process that has it open, if that is to be said; 0: none */
	uint64_t close, free; /* announced; 0: nothing */
};
void cuda_ending(struct cuda_ending *ending, const struct cuda_call *call, enum cuda_space space,
		 uint64_t key);
void cuda_ended(const struct cuda_ending *ending, const struct cuda_call *call, int result);
/*
 * A context ends with all its memory: that of a device, or a single one. The second function says
 * whether it ended.
 */
void cuda_context_ending(const struct cuda_call *call, int device, CUcontext context);
void cuda_context_ended(const struct cuda_call *call, bool gone);

/* An interprocess event was created, or exported. */
void cuda_event_made(const struct cuda_call *call);
void cuda_event_exported(const struct cuda_call *call);
