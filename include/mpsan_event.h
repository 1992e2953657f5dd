/*
 * Turns the rows of mpsan_events.def into numbers (EV_fork), structs (struct ev_fork) and tables of
 * names, and defines the values that fields take. mpsan_log.h has the record that carries an event.
 */
#ifndef MPSAN_EVENT_H
#define MPSAN_EVENT_H

#include <stdint.h>

#include "mpsan_log.h"

enum mpsan_event_type {
	EV_none,
#define FIELD(name, format)
#define EVENT(name, use, meaning, fields) EV_##name,
#define BLOB(name, meaning) EV_##name,
#include "mpsan_events.def"
#undef EVENT
#undef BLOB
#undef FIELD
	EV_COUNT
};

#define FIELD(name, format) uint64_t name;
#define EVENT(name, use, meaning, fields) \
	struct ev_##name {           \
		fields               \
	};
#define BLOB(name, meaning)
#include "mpsan_events.def"
#undef EVENT
#undef BLOB
#undef FIELD

/* Why a wait is worth a record (ev_wait.reason). */
enum mpsan_wait_reason {
	MPSAN_WAIT_ORPHAN = 1, /* its owner is a thread that the fork did not copy */
	MPSAN_WAIT_OWN, /* its owner is this thread, under its TID from before the fork */
	MPSAN_WAIT_SELF, /* its owner is this thread */
	/* no other thread of the process could end it, and its memory is private */
	MPSAN_WAIT_ALONE,
	MPSAN_WAIT_TEAM, /* the fork did not copy the pool's threads (libgomp) */
	/* a libc function whose internal lock a thread may hold that was not copied */
	MPSAN_WAIT_INSIDE,
};

/* What a deadlock is (ev_deadlock.cause). */
enum mpsan_deadlock_cause {
	MPSAN_DEADLOCK_CYCLE = 1, /* owners wait for each other */
	MPSAN_DEADLOCK_DEAD_END, /* no thread is left that could end these waits */
	MPSAN_DEADLOCK_OWNER_GONE, /* the last thread that took the lock is dead */
	MPSAN_DEADLOCK_WAITER_GONE, /* the sleeper that should confirm a wakeup is dead */
	MPSAN_DEADLOCK_TASK_LOST, /* a pool worker died with its task */
	MPSAN_DEADLOCK_LONG, /* no proof: the wait lasts longer than --hang-after */
};

/*
 * Whether an orphaned wait is a proof: nothing in its process could end it. Any thread may post a
 * semaphore, so a semaphore must have served as a lock, or the process must have no other thread.
 * The same holds for an import lock, whose owner is not known.
 */
static inline int mpsan_wait_is_proof(const struct ev_wait *wait)
{
	if (wait->flags & MPSAN_LF_SIGNALS || wait->reason == MPSAN_WAIT_INSIDE)
		return 0;
	if (wait->reason == MPSAN_WAIT_ALONE || wait->reason == MPSAN_WAIT_TEAM)
		return 1;
	return (wait->kind != MPSAN_LOCK_SEMAPHORE && wait->kind != MPSAN_LOCK_IMPORT) ||
	       wait->flags & MPSAN_LF_MUTUAL || wait->threads == 1;
}

/*
 * ev_order.gates_more: one bit for each further lock that was held, beyond the three that are
 * named.
 */
static inline uint64_t mpsan_gate_bit(uint64_t address)
{
	return 1ull << (address * 0x9e3779b97f4a7c15ull >> 58);
}

/* ev_fork.flags */
enum mpsan_fork_flags {
	MPSAN_FORK_TORCH = 1, /* libtorch was loaded */
	MPSAN_FORK_PYTHON = 2, /* the caller held the GIL */
	MPSAN_FORK_HANDLERS = 4, /* atfork handlers ran */
	MPSAN_FORK_FEEDER_BUSY = 8, /* a queue feeder held a private lock */
	MPSAN_FORK_PREEXEC = 16, /* subprocess with a preexec_fn: Python runs before the exec */
	MPSAN_FORK_IMPORTING = 32, /* the forking thread itself was importing a module */
};

/* Kinds of device memory (ev_ipc_*.memory, struct mpsan_export_place.memory). */
enum mpsan_memory {
	MPSAN_MEMORY_UNKNOWN, /* its allocation was not seen */
	MPSAN_MEMORY_DEVICE, /* cuMemAlloc and what is built on it: legacy handles of 64 bytes */
	MPSAN_MEMORY_MANAGED,
	MPSAN_MEMORY_POOL, /* of a memory pool; the handle is that of the pool */
	MPSAN_MEMORY_POOL_POINTER, /* one allocation of a pool that was exported */
	MPSAN_MEMORY_VMM, /* cuMemCreate: by file descriptor */
	MPSAN_MEMORY_HOST,
	MPSAN_MEMORY_IMPORTED, /* it belongs to another process */
};

/* What a CUDA call in a forked child needs (ev_cuda_call.kind). */
enum mpsan_cuda_kind {
	MPSAN_CUDA_INIT, /* cuInit itself */
	MPSAN_CUDA_QUERY, /* queries devices or properties: programs handle its failure */
	MPSAN_CUDA_USE, /* needs the device */
};

/* ev_ipc_export.flags, ev_ipc_open.flags */
enum mpsan_ipc_flags {
	/* the library exported it (--auto-export); found through the registry */
	MPSAN_IPC_AUTO = 1,
	/* the memory belongs to another process: `handle` was created from its mapping */
	MPSAN_IPC_IMPORTED = 2,
	MPSAN_IPC_WORKER = 4, /* a DataLoader worker made it, by its thread's name */
	/* work was queued after the last synchronisation or recorded event */
	MPSAN_IPC_UNSYNCED = 8,
	MPSAN_IPC_AGAIN = 16, /* this process has the same handle open already */
	MPSAN_IPC_NO_PEER = 32, /* the current device cannot reach that of the memory */
	/* libtorch is loaded: its counter keeps the memory until it is received */
	MPSAN_IPC_TORCH = 64,
};

/* How a process got shared memory (ev_shm.way, ev_shm_intent.way). */
enum mpsan_shm_way {
	MPSAN_SHM_OPEN = 1, /* shm_open */
	MPSAN_SHM_MEMFD, /* memfd_create: it has no name that other processes could open */
	/* open, mkstemp and similar calls, in /dev/shm or multiprocessing's arena directory */
	MPSAN_SHM_FILE,
	/* its descriptor came over a socket; `from` is the sender's pid, if known */
	MPSAN_SHM_RECEIVED,
	MPSAN_SHM_FETCHED, /* pidfd_getfd; `from` is the owner's pid */
	/* a descriptor that existed already: inherited, or opened past the hooks */
	MPSAN_SHM_FOUND,
};

/* ev_shm.flags */
enum mpsan_shm_flags {
	MPSAN_SHM_MADE = 1, /* this call created it: the name did not exist before */
	MPSAN_SHM_TORCH = 2, /* libtorch was loaded */
	MPSAN_SHM_WRITABLE = 4, /* opened for writing */
	MPSAN_SHM_UNNAMED = 8, /* its name was already unlinked, or it never had one */
};

/* ev_shm_map.device: the device in the lower bits, flags above. */
#define MPSAN_SHM_MAP_WRITABLE (1ull << 63)
/* recorded in a child: the mapping is older than its fork */
#define MPSAN_SHM_MAP_INHERITED (1ull << 62)
#define MPSAN_SHM_DEVICE(device) ((device) & ((1ull << 56) - 1))

/* ev_shm_inherited.what */
enum mpsan_shm_use { MPSAN_SHM_UNMAPPED = 1, MPSAN_SHM_CLOSED, MPSAN_SHM_UNLINKED };

/* ev_shm_refused.reason; `count` and `limit` belong together. */
enum mpsan_shm_reason {
	MPSAN_SHM_NO_NAME = 1, /* open: the name does not exist. No count */
	MPSAN_SHM_NO_DESCRIPTOR, /* EMFILE: descriptors of segments, and RLIMIT_NOFILE */
	MPSAN_SHM_TRUNCATED, /* recvmsg lost descriptors for lack of room; the same */
	MPSAN_SHM_MANY_DESCRIPTORS, /* nothing failed yet: segments take 80 %; the same */
	MPSAN_SHM_NO_SPACE, /* ENOSPC: bytes asked for, and bytes free */
	MPSAN_SHM_NO_MAP, /* mmap: ENOMEM with the number of mappings, and vm.max_map_count */
	MPSAN_SHM_MANY_MAPS, /* nothing failed yet: 80 % are mappings of segments; the same */
};

/* ev_dontfork.how */
enum mpsan_dontfork {
	MPSAN_DONTFORK_ADVICE = 1,
	MPSAN_DONTFORK_REGISTERED,
	MPSAN_DONTFORK_SUPPORTED
};

/*
 * ev_offset_used.kind, and bits of .what. `with` is the PID of a process that shares the open file
 * description, by kcmp.
 */
enum mpsan_offset_kind { MPSAN_OFFSET_FILE = 1, MPSAN_OFFSET_STREAM };
enum mpsan_offset_what { MPSAN_OFFSET_READ = 1, MPSAN_OFFSET_WRITE = 2, MPSAN_OFFSET_MOVE = 4 };

/* What a process was started for, as far as its target shows (ev_process_name.work). */
enum mpsan_work {
	MPSAN_WORK_UNKNOWN,
	MPSAN_WORK_LOADER, /* a worker of PyTorch's DataLoader */
};

/* How a parent checks the ends of its workers (ev_heeded.how). */
enum mpsan_heed {
	MPSAN_HEED_HANDLER = 1, /* it has a handler for SIGCHLD */
	MPSAN_HEED_POOL, /* an executor, which reports failures to those who ask for a result */
	MPSAN_HEED_SOURCE, /* its source checks exit statuses */
	MPSAN_HEED_TEST, /* it is a test, which has its own verdict */
};

/* ev_main_again.how */
enum mpsan_main_how {
	MPSAN_MAIN_REFUSED = 1, /* Python refused to start a process during its bootstrap */
	MPSAN_MAIN_FORKED, /* it forked there */
	MPSAN_MAIN_SHARED, /* it created shared memory there */
	MPSAN_MAIN_CUDA, /* it initialised CUDA there */
};

/* Why it failed, as far as the system was asked (ev_ipc_refused.cause). */
enum mpsan_ipc_cause {
	MPSAN_CAUSE_UNKNOWN,
	MPSAN_CAUSE_MEMORY, /* this kind of memory has no such handle */
	MPSAN_CAUSE_YAMA, /* kernel.yama.ptrace_scope forbids it between these two processes */
	MPSAN_CAUSE_USER, /* the other process belongs to another user */
	MPSAN_CAUSE_CAPABILITY, /* a container without the right to ptrace */
	MPSAN_CAUSE_CLOSED, /* the owner has closed that descriptor */
	MPSAN_CAUSE_GONE, /* the owner is gone */
};

#endif
