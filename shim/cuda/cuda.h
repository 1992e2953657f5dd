/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of CUDA in this process: whether and by what the driver was initialised, and the memory
 * that was allocated, exported, opened. hooks/cuda_driver.c and hooks/cuda_runtime.c call;
 * cuda_entry.c answers queries for functions; registry.c has what other processes may open.
 *
 * The runtime calls the driver, and both are hooked: what both see is recorded once, by the
 * runtime's hook and under the runtime's name.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"
#include "../abi/cuda.h"
#include "../common/ranges.h"
#include "../intercept/hook.h"

/* One per process; a forked child has its own copy. */
struct cuda {
	bool initialised; /* by this process */
	bool inherited; /* by a process that this one was forked from: no call can succeed here */
	bool unsynced; /* work was queued after the last synchronisation or recorded event */
	bool unsignalled; /* memory was exported meanwhile, and no event since */
	bool calls_back; /* it passed functions to be called between work, by threads of the driver */
	/* calls without recording of their own need not be examined */
	bool plain;
	uint32_t told; /* kinds of calls recorded in a forked child, a bit for each */
	uint32_t events; /* made for other processes */
	uint64_t devices; /* with a context of this process, now or before: a bit for each */
	/* the caller that initialised the driver before the library started; 0: none */
	uint64_t early;
	enum hook_id early_id;
	/* what initialised it, and in which process: in a child still its parent's */
	enum hook_id init_id;
	uint32_t init_pid;
};
extern struct cuda cuda;

/* A kind beyond enum mpsan_cuda_kind: calls that mean nothing in a forked child. */
#define CUDA_NO_KIND 31u

/* A call in progress, on its hook's stack. */
struct cuda_call {
	uint64_t mark; /* distinguishes a call in progress from old stack contents */
	uint64_t caller;
	uint64_t since; /* of an export and an open by handle: the time of the call; else 0 */
	enum hook_id id;
	uint32_t kind; /* enum mpsan_cuda_kind, or CUDA_NO_KIND */
	bool outermost; /* this thread is in no call of the runtime */
};

/* Around the real call. cuda_begin returns the real function; NULL: there is none. */
void *cuda_begin(struct cuda_call *call, enum hook_id id, uint32_t kind, uint64_t caller);
/* Returns whether the call has to be recorded at this level. */
bool cuda_end(struct cuda_call *call, int result);

/* The head of a hook: `call` and the real function. */
#define BEGIN(name, kind)      \
	ENTER(name);           \
	struct cuda_call call; \
	__typeof__(&name) real = cuda_begin(&call, HOOK_##name, kind, CALLER)

/*
 * The head of a hook whose call matters from its start. An export is recorded at that time: the
 * handle may lie in shared memory, where another process opens it before the call returns. An open
 * is told from one that another thread made meanwhile.
 */
#define BEGIN_TIMED(name)            \
	BEGIN(name, MPSAN_CUDA_USE); \
	call.since = sys_now()

/*
 * Records that a child which inherited the driver called a function of the library in vain; call it
 * GUARDED.
 */
void cuda_refused_child(const char *function, uint64_t caller);
/* The same of a framework that refused by itself, by that row of mpsan_guards.def. */
void cuda_refused_by(uint32_t row, const char *framework, const char *function, uint64_t caller);
/* The same by an exception, also about another device; `frames` of its traceback, innermost first. Call it GUARDED. */
void cuda_refused_raising(uint32_t row, const char *framework, const char *device,
			  const char *frames);
/* The result of a function that does not exist: the driver is not initialised, or too old. */
int cuda_absent(enum hook_id id);

/* The driver works in this process, or has a context on this device: recorded the first time. */
void cuda_initialised(const struct cuda_call *call);
void cuda_context(const struct cuda_call *call, CUdevice device);

/*
 * cuda_start: the library has started: records what constructors did before. cuda_forked: after a
 * fork, in the child.
 */
void cuda_start(void);
void cuda_forked(void);

/* CUDA_VISIBLE_DEVICES before a change, and after it. */
struct cuda_env {
	char text[120];
	bool watched, set;
};
void cuda_env_before(struct cuda_env *env, const char *name);
void cuda_env_after(const struct cuda_env *env, uint64_t caller);

/* Fields shared by all infrequent events. */
struct cuda_where {
	uint64_t function, caller, stack, python;
};
struct cuda_where cuda_where(const struct cuda_call *call);

/* Hash of a device's UUID; 0: unknown. Asks the driver. */
uint64_t cuda_gpu(int device, uint64_t caller);
/* The device of the current context; -1: none. Asks the driver. */
int cuda_current_device(uint64_t caller);

/* One allocation of device memory: an entry of this process's private table of ranges. */
struct cuda_memory {
	struct range range;
	uint32_t memory; /* enum mpsan_memory */
	uint32_t flags; /* enum cuda_memory_flags */
	int32_t device; /* ordinal in this process; -1: unknown */
	uint32_t registry; /* entry in the session's registry + 1; 0: none */
	uint64_t gpu; /* hash of the device's UUID; 0: unknown */
	uint64_t handle; /* identity of its handle, as in ipc events; 0: no handle */
	uint64_t object; /* the pool or VMM handle that it belongs to */
	uint64_t caller; /* return address of the call that allocated it */
	/* of a VMM handle, or of a mapping that was opened several times */
	_Alignas(8) uint32_t references;
	/* distinguishes successive users of this entry: in one word with the count */
	uint32_t entry;
	uint32_t mappings; /* of a VMM handle */
};

enum cuda_memory_flags {
	CUDA_MEMORY_EXPORTED = 1, /* the program exported it: its free is an event */
	CUDA_MEMORY_IMPORTED = 2, /* a VMM handle or a pool of another process */
	CUDA_MEMORY_ENDING = 4, /* its context is about to be destroyed */
	CUDA_MEMORY_STATED = 8, /* from this bit on: enum mpsan_ipc_flags of its export */
};

/*
 * The key spaces of the table, by the owner of a range: addresses, and objects that are not memory,
 * each a range of one byte.
 */
enum cuda_space { CUDA_ADDRESSES, CUDA_VMM_HANDLES, CUDA_POOLS, CUDA_OPEN_HANDLES };

/* Adds a copy at its range. */
void cuda_memory_add(const struct cuda_memory *memory);
/* The entry itself, of which a single field may be changed; NULL: none. */
struct cuda_memory *cuda_memory_at(enum cuda_space space, uint64_t key, struct cuda_memory *copy);
/* Removes the entry that starts there, and copies it; false: none. */
bool cuda_memory_take(enum cuda_space space, uint64_t key, struct cuda_memory *copy);
struct cuda_memory *cuda_memory_next(uint64_t *at, struct cuda_memory *copy);
void cuda_memory_forget_all(void);

/* Finds the allocation that contains the address; false: its allocation was not seen. */
bool cuda_memory_find(uint64_t address, struct cuda_memory *copy);

/*
 * Asks the driver for the device of memory, if it is unknown: that is not done at the allocation.
 */
void cuda_memory_device(struct cuda_memory *m, uint64_t address, uint64_t caller);

/* Adds a mapping of another process's memory (MPSAN_MEMORY_IMPORTED). */
void cuda_memory_imported(uint64_t address, uint64_t bytes, uint64_t handle, uint64_t caller);
/*
 * cuda_memory_join and cuda_memory_leave count the users of an entry. False: it is being removed,
 * or gone.
 */
bool cuda_memory_join(struct cuda_memory *place, const struct cuda_memory *copy);
bool cuda_memory_leave(struct cuda_memory *place, const struct cuda_memory *copy);
/* Removes the range that starts there; `copy` receives it. */
bool cuda_memory_gone(uint64_t address, struct cuda_memory *copy);
bool cuda_memory_gone_from(enum cuda_space space, uint64_t key, struct cuda_memory *copy);

/* The identity of a handle: a hash of its bytes, never 0. */
uint64_t cuda_handle(const void *bytes, uint32_t count);
/*
 * The identity of memory that is passed by descriptor or fabric handle, as the driver returns it
 * (cuda_handle_given) and takes it, where the pointer itself is the descriptor. 0: unknown.
 */
uint64_t cuda_handle_given(const void *shareable, CUmemAllocationHandleType type);
uint64_t cuda_handle_taken(const void *shareable, CUmemAllocationHandleType type);
/* Records that this descriptor came from another process, where it has that number. */
void cuda_fd_received(int fd, uint32_t pid, int number);

/*
 * A function of the driver or the runtime, for code at `caller`; NULL: not loaded. For the
 * library's own calls, which no hook sees.
 */
#define CUDA_REAL(name, caller) REAL_OF(name, caller)
