/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program may tell mpsan about itself, and what it may ask of it: device memory of other
 * processes. A program built with this header runs unchanged without the library: each call checks
 * whether the library is loaded and does nothing if it is not.
 *
 * Calls that return nothing only record facts. They never fail, block, allocate or change errno,
 * and may be made from any thread and from signal handlers. Strings are copied before the call
 * returns. The calls named mpsan_ipc_ return 0 or a negative errno value and leave errno unchanged;
 * they may call the CUDA driver.
 */
#ifndef MPSAN_H
#define MPSAN_H

#include <errno.h>
#include <stdint.h>

#ifdef MPSAN_LIBRARY

/* Inside the library: it defines the functions below. */
#define MPSAN_API(name, parameters, arguments) void name parameters;
#define MPSAN_API_INT(name, parameters, arguments) int name parameters;

#elif defined(__GNUC__) && (defined(__x86_64__) || defined(__aarch64__))

/*
 * A plain weak reference would do in position-independent programs; in others the linker resolves
 * it to 0 for good, without a warning. So the address is read by hand from the global offset table,
 * which the loader fills in both cases. The inline functions have other names than the library's
 * functions, because they may be emitted as local symbols.
 */
#ifdef __x86_64__
#define MPSAN_ENTRY(name, entry) \
	__asm__(".weak " name "\n\tmovq " name "@GOTPCREL(%%rip), %0" : "=r"(entry))
#else
#define MPSAN_ENTRY(name, entry)                                                                \
	__asm__(".weak " name "\n\tadrp %0, :got:" name "\n\tldr %0, [%0, #:got_lo12:" name "]" \
		: "=r"(entry))
#endif

/* Debuggers and reports show the calling line, not this one. */
#define MPSAN_INLINE static inline __attribute__((always_inline, artificial))

#define MPSAN_API(name, parameters, arguments)       \
	MPSAN_INLINE void name##_if_there parameters \
	{                                            \
		void(*mpsan_entry) parameters;       \
                                                     \
		MPSAN_ENTRY(#name, mpsan_entry);     \
		if (mpsan_entry)                     \
			mpsan_entry arguments;       \
	}
#define MPSAN_API_INT(name, parameters, arguments)                    \
	MPSAN_INLINE int name##_if_there parameters                   \
	{                                                             \
		int(*mpsan_entry) parameters;                         \
                                                                      \
		MPSAN_ENTRY(#name, mpsan_entry);                      \
		return mpsan_entry ? mpsan_entry arguments : -ENOSYS; \
	}

#else

#define MPSAN_API(name, parameters, arguments)        \
	static inline void name##_if_there parameters \
	{                                             \
	}
#define MPSAN_API_INT(name, parameters, arguments)   \
	static inline int name##_if_there parameters \
	{                                            \
		return -ENOSYS;                      \
	}

#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Names a lock in reports, in place of its symbol, variable or address. Call it after the lock was
 * initialised, and again when the memory is used for another lock; "" takes the name back.
 * Suppressions match the name, too.
 */
MPSAN_API(mpsan_lock_name, (const void *lock, const char *name), (lock, name))

/*
 * For locks that are not built on libc's: the calling thread has just taken `lock`, or is about to
 * release it. A lock that was taken several times must be released as often.
 */
MPSAN_API(mpsan_lock_acquired, (const void *lock), (lock))
MPSAN_API(mpsan_lock_released, (const void *lock), (lock))

/*
 * Between these two calls no other thread should fork: the calling thread changes something that a
 * child could not repair. `reason` says what, for the report. Calls may nest.
 */
MPSAN_API(mpsan_fork_unsafe_begin, (const char *reason), (reason))
MPSAN_API(mpsan_fork_unsafe_end, (void), ())

/*
 * Between these two calls mpsan records nothing of the calling thread: for code that is known to be
 * correct in a way that mpsan cannot see. Calls may nest.
 */
MPSAN_API(mpsan_ignore_begin, (void), ())
MPSAN_API(mpsan_ignore_end, (void), ())

/*
 * Device memory of another process of the session, of the same user: under `mpsan run
 * --auto-export` every allocation; otherwise what a process named (mpsan_ipc_name) or exported
 * itself (cudaIpcGetMemHandle). 160 bytes, all numbers, so that other languages can declare it.
 * Addresses are the owner's.
 */
struct mpsan_export {
	int32_t pid; /* owner */
	int32_t device; /* ordinal in the owner; -1: unknown */
	uint64_t base, bytes; /* the allocation */
	uint64_t offset; /* of the requested address from `base` */
	uint64_t born_ns; /* CLOCK_MONOTONIC */
	uint64_t handle; /* its identity in reports */
	uint64_t gpu; /* the device, the same number in all processes */
	uint32_t owner; /* the owner's slot in the session */
	uint32_t kind; /* 1: cudaMalloc and cuMemAlloc, 4: from a pool, 5: cuMemCreate */
	char name[32]; /* "" if it has none */
	uint64_t spare[8];
};

/*
 * Finds the allocation of process `pid` that contains `address`.
 *
 * -ENOSYS  the library is not loaded, or switched off
 * -EINVAL  a pointer is null
 * -ESRCH   no process with that PID lives in the session
 * -ENOENT  that process has no exported memory there
 */
MPSAN_API_INT(mpsan_ipc_find, (int pid, const void *address, struct mpsan_export *found),
	      (pid, address, found))

/* Finds the named allocation of a living process. Same results; -ESRCH: its owner is gone. */
MPSAN_API_INT(mpsan_ipc_find_name, (const char *name, struct mpsan_export *found), (name, found))

/*
 * Names memory of the calling process, so that others find it without a message, and exports it if
 * necessary. The first 31 bytes of the name count. The name lasts until the memory is freed or its
 * process ends; a name whose owner has ended may be taken again. `address` may be any in the
 * allocation.
 *
 * -ENOSYS, -EINVAL  as above; also an empty name
 * -ENOENT           no memory whose allocation was seen
 * -EEXIST           a living process, or other memory of this one, has that name
 * -EOPNOTSUPP       this memory has no handles: managed, a pool or cuMemCreate without descriptors
 * -ENOSPC           the registry is full
 */
MPSAN_API_INT(mpsan_ipc_name, (const void *address, const char *name), (address, name))

/*
 * Opens an export: maps it into the calling process, on the calling thread's current device, which
 * must be that of the memory or have access to it. Where no context is current, the CUDA runtime
 * creates one if it is loaded. `*pointer` is the requested address in this process. A second open
 * before the close returns the same mapping, which must be closed as often. The mapping is valid
 * only until its owner frees the memory: owner and consumer must agree on that themselves, and
 * mpsan reports which side broke it.
 *
 * -ENOSYS, -EINVAL  as above; also memory of the caller itself, which needs no opening
 * -ESRCH            its owner is gone
 * -ESTALE           it was freed since it was found
 * -ENODEV           CUDA is not loaded here, or there is no device, or no context is current
 * -ECHILD           this process was forked from one that used CUDA: the driver does not work here
 * -EBUSY            this process opened the same handle by a call of its own
 * -EPERM            the descriptor could not be taken from its owner: kernel.yama.ptrace_scope or a
 *                   container forbids it (memory of pools and cuMemCreate only)
 * -EOPNOTSUPP       the driver or the kernel cannot do that
 * -ENOMEM, -EIO     errors of the driver
 */
MPSAN_API_INT(mpsan_ipc_open, (const struct mpsan_export *exported, void **pointer),
	      (exported, pointer))

/*
 * Closes a mapping, given any address in it. -ENOSYS; -EINVAL: not opened by mpsan_ipc_open; -EIO.
 */
MPSAN_API_INT(mpsan_ipc_close, (void *pointer), (pointer))

#ifdef __cplusplus
}
#endif

#undef MPSAN_API
#undef MPSAN_API_INT
#undef MPSAN_INLINE

#ifndef MPSAN_LIBRARY
#define mpsan_lock_name mpsan_lock_name_if_there
#define mpsan_lock_acquired mpsan_lock_acquired_if_there
#define mpsan_lock_released mpsan_lock_released_if_there
#define mpsan_fork_unsafe_begin mpsan_fork_unsafe_begin_if_there
#define mpsan_fork_unsafe_end mpsan_fork_unsafe_end_if_there
#define mpsan_ignore_begin mpsan_ignore_begin_if_there
#define mpsan_ignore_end mpsan_ignore_end_if_there
#define mpsan_ipc_find mpsan_ipc_find_if_there
#define mpsan_ipc_find_name mpsan_ipc_find_name_if_there
#define mpsan_ipc_name mpsan_ipc_name_if_there
#define mpsan_ipc_open mpsan_ipc_open_if_there
#define mpsan_ipc_close mpsan_ipc_close_if_there
#endif

#endif
