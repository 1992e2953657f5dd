/*
 * What is known of CUDA in this process: whether the driver was initialised, and by whom; the memory
 * that was made, exported, imported. Neighbours: hooks/cuda_driver.c and hooks/cuda_runtime.c call,
 * registry.c keeps what other processes may open.
 */
#ifndef MPSAN_CUDA_H
#define MPSAN_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "../include/mpsan_event.h"
#include "ranges.h"

/* One piece of device memory of this process: a place of its private table of ranges. */
struct cuda_memory {
	struct range range;
	uint32_t memory; /* enum mpsan_memory */
	uint32_t flags; /* enum cuda_memory_flags */
	int32_t device; /* ordinal in this process, -1: not known */
	uint32_t registry; /* place in the session's registry + 1, 0: not there */
	uint64_t gpu; /* hash of the device's UUID, 0: not known */
	uint64_t handle; /* identity of its handle, as in ipc events; 0: none was made */
	uint64_t object; /* the pool, or the VMM handle, that it is part of */
	uint64_t caller; /* return address of the call that made it */
};

enum cuda_memory_flags {
	CUDA_MEMORY_EXPORTED = 1, /* the program made a handle of it: its end is an event */
};

/* The range that contains the address; false: not seen when it was made. */
bool cuda_memory_find(uint64_t address, struct cuda_memory *copy);

/* Memory of another process was mapped here: it becomes a range (MPSAN_MEMORY_IMPORTED). */
void cuda_memory_imported(uint64_t address, uint64_t bytes, uint64_t handle, uint64_t caller);
/* Forgets the range that begins there; `copy` receives what it was. */
bool cuda_memory_gone(uint64_t address, struct cuda_memory *copy);

/* Identity of a handle: a hash of its bytes, never 0. */
uint64_t cuda_handle(const void *bytes, uint32_t count);

/*
 * A function of the driver or the runtime, for code at `caller`; NULL: neither is there. For calls that the
 * library makes itself, which no hook sees.
 */
#define CUDA_REAL(name, caller) REAL_OF(name, caller)

#endif
