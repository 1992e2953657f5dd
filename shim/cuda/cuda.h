/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of CUDA in this process: whether the driver was initialised, and by whom; the memory
 * that was made, exported, imported. Neighbours: hooks/cuda_driver.c and hooks/cuda_runtime.c call,
 * cuda_entry.c answers who asks for functions, registry.c keeps what other processes may open.
 *
 * The runtime stands on the driver, and both are hooked: what is seen at both levels is stated once,
 * by the runtime's hook and under the runtime's name.
 */
#ifndef MPSAN_CUDA_H
#define MPSAN_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../abi/cuda.h"
#include "../common/ranges.h"
#include "../intercept/hook.h"

/* One per process; a forked child has its own copy. */
struct cuda {
	bool initialised; /* by this very process */
	bool inherited; /* by one that this process was forked from: no call can succeed here */
	bool unsynced; /* work was queued after the last synchronisation or recorded event */
	bool unsignalled; /* memory was exported meanwhile, and no event since */
	/* nothing is to be learned of calls that carry no facts: they are not looked at */
	bool plain;
	uint32_t told; /* kinds of calls that were stated of a forked child, a bit for each */
	uint32_t events; /* made for other processes */
	uint64_t devices; /* that have, or had, a context of this process: a bit for each */
	uint64_t early; /* who initialised the driver before the library was set up, 0: nobody */
	enum hook_id early_id;
};
extern struct cuda cuda;

/* Kinds of calls beyond enum mpsan_cuda_kind: without any meaning in a forked child. */
#define CUDA_NO_KIND 31u

/* A call of a typed hook, on its stack. */
struct cuda_call {
	uint64_t mark; /* tells a call under way from what lay on the stack before */
	uint64_t caller;
	uint64_t since; /* of an export: when it began */
	enum hook_id id;
	uint32_t kind; /* enum mpsan_cuda_kind, or CUDA_NO_KIND */
	bool outermost; /* no call of the runtime is under way in this thread */
};

/* Around the real call; cuda_begin returns it, NULL: there is none. */
void *cuda_begin(struct cuda_call *call, enum hook_id id, uint32_t kind, uint64_t caller);
/* True when what came of it is to be noted. */
bool cuda_end(struct cuda_call *call, int result);

/* A function of ours that a child which inherited the driver has called for nothing; to be called GUARDED. */
void cuda_refused_child(const char *function, uint64_t caller);
/* What a function that does not exist returns: the driver was not initialised, or is too old. */
int cuda_absent(enum hook_id id);

/* The driver works in this process, or has a context on this device: the first time is an event. */
void cuda_initialised(const struct cuda_call *call);
void cuda_context(const struct cuda_call *call, CUdevice device);

/* The library is set up: what constructors did before is told. After a fork, in the child. */
void cuda_start(void);
void cuda_forked(void);

/* CUDA_VISIBLE_DEVICES as it is, before a change; and what became of it. */
struct cuda_env {
	char text[120];
	bool watched, set;
};
void cuda_env_before(struct cuda_env *env, const char *name);
void cuda_env_after(const struct cuda_env *env, uint64_t caller);

/* Fields that all rare events share. */
struct cuda_where {
	uint64_t function, caller, stack, python;
};
struct cuda_where cuda_where(const struct cuda_call *call);
/* Events may be stated now. */
bool cuda_may_state(void);

/* Hash of a device's UUID; 0: not known. Asks the driver. */
uint64_t cuda_gpu(int device, uint64_t caller);
/* The device of the current context, -1: none. Asks the driver. */
int cuda_current_device(uint64_t caller);

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
	_Alignas(8) uint32_t references; /* of a VMM handle, a mapping opened several times */
	uint32_t entry; /* which of those that had this place: one word with the count */
	uint32_t mappings; /* of a VMM handle */
};

enum cuda_memory_flags {
	CUDA_MEMORY_EXPORTED = 1, /* the program made a handle of it: its end is an event */
	CUDA_MEMORY_IMPORTED = 2, /* a VMM handle or a pool of another process */
	CUDA_MEMORY_ENDING = 4, /* a context is about to be destroyed, and this with it */
	CUDA_MEMORY_STATED = 8, /* bits from here on: enum mpsan_ipc_flags of its export */
};

/*
 * What the table's keys are, by the owner of a range: addresses, and objects that are no memory
 * themselves, each a range of one byte.
 */
enum cuda_space { CUDA_ADDRESSES, CUDA_VMM_HANDLES, CUDA_POOLS, CUDA_OPEN_HANDLES };

/* Puts in a copy: its range says where. */
void cuda_memory_add(const struct cuda_memory *memory);
/* The place itself, to be changed where one field is all; NULL: not there. */
struct cuda_memory *cuda_memory_at(enum cuda_space space, uint64_t key, struct cuda_memory *copy);
/* The same for one that ends, and begins there. */
bool cuda_memory_take(enum cuda_space space, uint64_t key, struct cuda_memory *copy);
struct cuda_memory *cuda_memory_next(uint64_t *at, struct cuda_memory *copy);
void cuda_memory_forget_all(void);

/* The range that contains the address; false: not seen when it was made. */
bool cuda_memory_find(uint64_t address, struct cuda_memory *copy);

/* Asks for the device of memory at that address, where it is not known: allocations are not asked at birth. */
void cuda_memory_device(struct cuda_memory *m, uint64_t address, uint64_t caller);

/* Memory of another process was mapped here: it becomes a range (MPSAN_MEMORY_IMPORTED). */
void cuda_memory_imported(uint64_t address, uint64_t bytes, uint64_t handle, uint64_t caller);
/* One more, or one less, who has that place: of what is counted. False: it is going, or gone. */
bool cuda_memory_join(struct cuda_memory *place, const struct cuda_memory *copy);
bool cuda_memory_leave(struct cuda_memory *place, const struct cuda_memory *copy);
/* Forgets the range that begins there; `copy` receives what it was. */
bool cuda_memory_gone(uint64_t address, struct cuda_memory *copy);
bool cuda_memory_gone_from(enum cuda_space space, uint64_t key, struct cuda_memory *copy);

/* Identity of a handle: a hash of its bytes, never 0. */
uint64_t cuda_handle(const void *bytes, uint32_t count);
/*
 * The same of memory behind a descriptor, or a handle of the fabric, as the driver gives it out and
 * as it takes it: a descriptor stands in the pointer itself there. 0: not to be seen.
 */
uint64_t cuda_handle_given(const void *shareable, CUmemAllocationHandleType type);
uint64_t cuda_handle_taken(const void *shareable, CUmemAllocationHandleType type);
/* This descriptor came from another process, where it has that number. */
void cuda_fd_received(int fd, uint32_t pid, int number);

/*
 * A function of the driver or the runtime, for code at `caller`; NULL: neither is there. For calls that the
 * library makes itself, which no hook sees.
 */
#define CUDA_REAL(name, caller) REAL_OF(name, caller)

#endif
