/*
 * What the parts of the stand-in driver share. It believes of the real one what README.md says, and no more: memory is
 * real and shared between processes, kernels do not exist, all work is done when the call returns.
 *
 * names.c     every exported name, cuGetProcAddress        device.c  start and devices
 * context.c   contexts, and whose turn it is
 * arena.c     memory of this process in one shared file    memory.c  what is made of it
 * mapping.c   what else lies in the address space          ipc.c     legacy handles, of memory and events
 * vmm.c       physical memory and addresses apart          pool.c    pools, allocation in stream order
 * copy.c      copies and fills                             stream.c  streams, events, launches
 * pending.c   work that ends when others have done their part
 */
#ifndef MPSAN_FAKE_H
#define MPSAN_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../shim/abi/cuda.h"

/* Errors that no hook needs to know. */
#define FAKE_MAP_FAILED ((CUresult)205)
#define FAKE_PEER_ACCESS_ENABLED ((CUresult)704)
#define FAKE_PEER_ACCESS_OFF ((CUresult)705)
#define FAKE_ALREADY_REGISTERED ((CUresult)712)
#define FAKE_NOT_REGISTERED ((CUresult)713)

#define EXPORT __attribute__((visibility("default")))

/*
 * CALL(name, parameters, arguments) { … } is an exported function that first asks whether the driver may be used;
 * ALSO gives the same body a second name, at an address of its own, as the real driver's are.
 */
#define CALL(name, parameters, arguments)       \
	static CUresult do_##name parameters;   \
	ALSO(name, name, parameters, arguments) \
	static CUresult do_##name parameters
#define ALSO(name, body, parameters, arguments)                             \
	CUresult name parameters;                                           \
	EXPORT CUresult name parameters                                     \
	{                                                                   \
		CUresult state = driver_state();                            \
		return state != CUDA_SUCCESS ? state : do_##body arguments; \
	}

/* 0, or why no call works: the driver was not initialised, or this is a forked child of a process where it was. */
CUresult driver_state(void);
/* What every function without a meaning answers. */
CUresult driver_unsupported(void);

/* The driver's own threads, once, if wanted: see threads.c. */
void threads_start(void);
/* Gives them a function to call; false: there are none, or too much waits. */
bool threads_call(void (*function)(void *), void *data);

/* One lock for everything: what this library is asked in tests is short. */
void fake_lock(void);
void fake_unlock(void);

/* Devices and contexts */

#define FAKE_DEVICES 16
#define FAKE_DEVICE_BYTES (16ull << 30)

struct CUctx_st {
	uint64_t alive; /* CONTEXT_ALIVE */
	int device;
	unsigned flags, retained;
	bool primary;
	uint64_t id, peers; /* bit n: access to device n was enabled */
};

/* The calling thread's context; NULL: none, or it was destroyed. */
CUcontext context_now(void);
CUcontext device_primary(CUdevice device);
bool device_exists(CUdevice device);
const CUuuid *device_uuid(CUdevice device);
CUdevice device_by_uuid(const CUuuid *uuid); /* -1: not visible here */
bool device_peers(CUdevice from, CUdevice to);
/* Adds to what a device's memory is used for; false: there is not that much. */
bool device_take(CUdevice device, int64_t bytes);

/* Memory of this process */

enum piece_kind {
	PIECE_FREE,
	PIECE_DEVICE,
	PIECE_MANAGED,
	PIECE_HOST,
	PIECE_POOL,
	PIECE_PHYSICAL, /* behind a VMM handle, at no address of its own */
};

struct piece {
	uint64_t start, bytes, id;
	CUcontext context;
	CUmemoryPool pool;
	uint32_t next; /* in a list of free ones */
	uint32_t shared; /* place in the arena's head, 0: never exported */
	uint8_t kind, order;
	int8_t device;
};

/* What other processes look up in the first bytes of an arena's file. */
struct shared_place {
	uint64_t id; /* the piece or event that is exported; 0: it is gone */
	uint64_t value;
};

#define ARENA_HEAD (8ull << 20)
#define ARENA_MAGIC 0x616e657261706d00ull

struct arena_head {
	uint64_t magic, id;
	CUuuid uuid;
	uint64_t handle_types, used;
	struct shared_place places[];
};

struct arena {
	struct arena *next;
	int fd;
	uint32_t fresh, chunks; /* chunks from `fresh` on were never used */
	union {
		struct arena_head *head;
		char *base;
	};
	struct chunk *chunk;
	struct run *runs;
	uint32_t run_count, run_room;
	uint32_t lists[32];
	uint32_t free_place;
};

/* All of these with the lock held. */
struct arena *arena_main(void);
struct arena *arena_create(uint64_t bytes);
void arena_destroy(struct arena *arena);
struct piece *arena_take(struct arena *arena, uint64_t bytes);
void arena_give(struct arena *arena, struct piece *piece);
struct arena *arena_next(struct arena *after);
struct piece *arena_find(uint64_t address, struct arena **arena);
/* Calls back for every piece in use. */
void arena_each(struct arena *arena, void (*visit)(struct arena *, struct piece *, void *),
		void *with);
/* A place in the head for an exported thing; 0: no room. */
uint32_t arena_share(struct arena *arena, uint64_t id);
void arena_unshare(struct arena *arena, uint32_t place);
uint64_t fake_id(void);

CUresult memory_take(struct arena *arena, CUdeviceptr *address, size_t bytes, int kind,
		     CUmemoryPool pool);
void memory_give(struct arena *arena, struct piece *piece);
void memory_forget(CUcontext context);
/* Of pools: one thing less in it; the end of what was made or imported at an address, false: nothing was. */
void pool_dropped(CUmemoryPool pool, uint64_t bytes);
bool pool_give(CUdeviceptr address);
/* The allocation that begins there ends, if it is of one of these kinds. */
CUresult memory_end(CUdeviceptr address, uint32_t kinds);
/* True when all of it is memory that CUDA made or mapped here. */
bool memory_known(CUdeviceptr address, size_t bytes);

/* What is mapped besides the arenas, in order of addresses. */

enum mapping_kind {
	MAPPING_IPC = 32,
	MAPPING_POOL,
	MAPPING_PHYSICAL,
	MAPPING_REGISTERED,
	MAPPING_RESERVED, /* addresses without memory: mapping_any passes over them */
	MAPPING_KINDS,
};

struct mapping {
	uint64_t start, bytes;
	uint64_t id, arena; /* of the piece, in another process */
	uint64_t offset; /* in its file */
	uint64_t base, length; /* of the pages in this address space */
	CUcontext context;
	void *object; /* struct physical of a MAPPING_PHYSICAL, pool of a MAPPING_POOL */
	uint32_t kind, opened;
	int device;
};

struct mapping *mapping_add(uint64_t start, uint64_t bytes, int kind);
struct mapping *mapping_find(uint64_t address, int kind);
struct mapping *mapping_any(uint64_t address);
/* The first of a kind that begins at or after an address; NULL: none. */
struct mapping *mapping_after(uint64_t address, int kind);
void mapping_drop(struct mapping *mapping);
void mapping_forget(CUcontext context);

/* Events */

struct CUevent_st {
	uint64_t alive, id, when;
	struct CUevent_st *next;
	CUstream stream; /* that it was recorded in, and what was queued last then */
	uint64_t after;
	uint32_t flags, shared;
	bool foreign; /* opened from another process's handle */
};

bool event_ok(CUevent event);
CUevent event_take(unsigned flags);

#endif
