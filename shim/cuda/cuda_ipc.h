/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of memory between processes, from the typed hooks: what is made, given out, taken in, and
 * comes to its end. All of them ask whether the call succeeded. Neighbours: cuda.h, hooks/cuda_*.c.
 */
#ifndef MPSAN_CUDA_IPC_H
#define MPSAN_CUDA_IPC_H

#include "cuda.h"

/* New memory; `object` is the pool it is of. With --auto-export it gets its handle here. */
void cuda_made(const struct cuda_call *call, uint64_t address, uint64_t bytes,
	       enum mpsan_memory memory, uint64_t object);
/* A VMM handle, of this process or of another; a pool. */
void cuda_object_made(const struct cuda_call *call, enum cuda_space space, uint64_t object,
		      uint64_t bytes, uint64_t imported);
/* One more, or one fewer, holder of a VMM handle: a reference, or a mapping at that address. */
void cuda_retained(uint64_t handle);
void cuda_released(const struct cuda_call *call, uint64_t handle);
void cuda_mapped(const struct cuda_call *call, uint64_t address, uint64_t bytes, uint64_t handle);

/* A handle was asked for; `handle` is its identity. */
void cuda_exported(const struct cuda_call *call, int result, enum mpsan_memory memory,
		   uint64_t address, uint64_t handle, const void *bytes);
/* The same of a VMM handle, or a pool. */
void cuda_object_exported(const struct cuda_call *call, int result, enum cuda_space space,
			  uint64_t object, uint64_t handle);
/* Memory of another process was asked for. */
void cuda_opened(const struct cuda_call *call, int result, enum mpsan_memory memory,
		 uint64_t address, uint64_t handle);

/* Whether this process has a handle open: counted, `change` is 1, -1 or 0. */
bool cuda_is_open(uint64_t handle, int change);

/* What is about to come to its end, looked up and announced before the real call: its address may be reused. */
struct cuda_ending {
	struct cuda_memory memory;
	bool known, opened;
	uint64_t close, free; /* announced; 0: nothing */
};
void cuda_ending(struct cuda_ending *ending, const struct cuda_call *call, enum cuda_space space,
		 uint64_t key);
void cuda_ended(const struct cuda_ending *ending, const struct cuda_call *call, int result);
/* A context with all its memory: of a device, or by itself. The second says whether it went. */
void cuda_context_ending(const struct cuda_call *call, int device, CUcontext context);
void cuda_context_ended(const struct cuda_call *call, bool gone);

/* An event for other processes was made, or exported. */
void cuda_event_made(const struct cuda_call *call);
void cuda_event_exported(const struct cuda_call *call);

#endif
