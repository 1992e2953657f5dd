/*
 * Pools, and allocation in stream order: all work is done, so it happens at once. A pool that may be exported has an arena of its
 * own, whose file is what another process imports; all others share the main one.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"

#define POOL_ALIVE 0x6c6f6f7000000000ull
#define POINTER_MAGIC 0x72657470u

struct CUmemPoolHandle_st {
	uint64_t alive;
	struct CUmemPoolHandle_st *next;
	struct arena *arena; /* NULL: the main one */
	uint64_t live, used, high, threshold, arena_id;
	int device, fd; /* fd: of an imported pool, else -1 */
	bool ended, is_default, exported;
	CUmemAllocationHandleType types;
};

/* What cuMemPoolExportPointer writes. */
struct pointer {
	uint32_t magic, place;
	uint64_t arena, id, offset, bytes;
	char rest[24];
};

_Static_assert(sizeof(struct pointer) == sizeof(CUmemPoolPtrExportData), "64 bytes");

static struct CUmemPoolHandle_st *unused, *defaults[FAKE_DEVICES], *chosen[FAKE_DEVICES];

static bool pool_ok(CUmemoryPool pool)
{
	return pool && pool->alive == POOL_ALIVE && !pool->ended;
}

static CUmemoryPool pool_take(int device)
{
	CUmemoryPool made = unused;

	if (made)
		unused = made->next;
	else
		made = malloc(sizeof(*made));
	if (made)
		*made = (struct CUmemPoolHandle_st){
			.alive = POOL_ALIVE, .device = device, .fd = -1};
	return made;
}

/* A pool that was destroyed ends with the last of what was made from it. */
static void pool_check(CUmemoryPool pool)
{
	if (!pool->ended || pool->live)
		return;
	if (pool->arena)
		arena_destroy(pool->arena);
	if (pool->fd >= 0)
		close(pool->fd);
	pool->alive = 0;
	pool->next = unused;
	unused = pool;
}

void pool_dropped(CUmemoryPool pool, uint64_t bytes)
{
	pool->live--;
	pool->used -= bytes;
	pool_check(pool);
}

static CUmemoryPool default_pool(CUdevice device)
{
	if (!defaults[device]) {
		defaults[device] = pool_take(device);
		defaults[device]->is_default = true;
	}
	return defaults[device];
}

static CUmemoryPool chosen_pool(CUdevice device)
{
	return pool_ok(chosen[device]) ? chosen[device] : default_pool(device);
}

CALL(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device), (pool, device))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	fake_lock();
	*pool = default_pool(device);
	fake_unlock();
	return CUDA_SUCCESS;
}

CALL(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device), (pool, device))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	fake_lock();
	*pool = chosen_pool(device);
	fake_unlock();
	return CUDA_SUCCESS;
}

CALL(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool), (device, pool))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!pool_ok(pool) || pool->device != device)
		return CUDA_ERROR_INVALID_VALUE;
	fake_lock();
	chosen[device] = pool;
	fake_unlock();
	return CUDA_SUCCESS;
}

static CUresult create(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
	CUmemoryPool made = pool_take(properties->location.id);

	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->types = properties->handleTypes;
	if (made->types) {
		made->arena = arena_create(2 * FAKE_DEVICE_BYTES);
		if (!made->arena) {
			made->ended = true;
			pool_check(made);
			return CUDA_ERROR_OUT_OF_MEMORY;
		}
		made->arena->head->uuid = *device_uuid(made->device);
		made->arena->head->handle_types = made->types;
	}
	*pool = made;
	return CUDA_SUCCESS;
}

CALL(cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *properties), (pool, properties))
{
	CUresult result;

	if (!pool || !properties || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (properties->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!device_exists(properties->location.id))
		return CUDA_ERROR_INVALID_DEVICE;
	fake_lock();
	result = create(pool, properties);
	fake_unlock();
	return result;
}

CALL(cuMemPoolDestroy, (CUmemoryPool pool), (pool))
{
	bool fine;

	fake_lock();
	fine = pool_ok(pool) && !pool->is_default;
	if (fine) {
		pool->ended = true;
		pool_check(pool);
	}
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CALL(cuMemPoolTrimTo, (CUmemoryPool pool, size_t bytes), (pool, bytes))
{
	(void)bytes;
	return pool_ok(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* By the numbers of CUmemPool_attribute: three switches, the threshold, four counts. */
CALL(cuMemPoolGetAttribute, (CUmemoryPool pool, int attribute, void *value),
     (pool, attribute, value))
{
	if (!pool_ok(pool) || !value || attribute < 1 || attribute > 8)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute <= 3)
		*(int *)value = 1;
	else if (attribute == 4)
		*(uint64_t *)value = pool->threshold;
	else
		*(uint64_t *)value = attribute % 2 ? pool->used : pool->high;
	return CUDA_SUCCESS;
}

CALL(cuMemPoolSetAttribute, (CUmemoryPool pool, int attribute, void *value),
     (pool, attribute, value))
{
	if (!pool_ok(pool) || !value || attribute < 1 || attribute > 8)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute == 4)
		pool->threshold = *(uint64_t *)value;
	return CUDA_SUCCESS;
}

CALL(cuMemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *list, size_t count),
     (pool, list, count))
{
	if (!pool_ok(pool) || (count && !list))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++)
		if (!device_exists(list[i].location.id))
			return CUDA_ERROR_INVALID_DEVICE;
	return CUDA_SUCCESS;
}

CALL(cuMemPoolGetAccess, (int *flags, CUmemoryPool pool, CUmemLocation *location),
     (flags, pool, location))
{
	if (!pool_ok(pool) || !location || !device_exists(location->id))
		return CUDA_ERROR_INVALID_VALUE;
	*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return CUDA_SUCCESS;
}

/* Allocation */

static CUresult take(CUdeviceptr *address, size_t bytes, CUmemoryPool pool)
{
	CUresult result;

	if (!pool_ok(pool) || pool->fd >= 0)
		return CUDA_ERROR_INVALID_VALUE; /* an imported pool gives nothing new */
	result = memory_take(pool->arena ? pool->arena : arena_main(), address, bytes, PIECE_POOL,
			     pool);
	if (result == CUDA_SUCCESS) {
		pool->live++;
		pool->used += bytes;
		if (pool->used > pool->high)
			pool->high = pool->used;
	}
	return result;
}

CALL(cuMemAllocFromPoolAsync,
     (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
     (address, bytes, pool, stream))
{
	CUresult result;

	(void)stream;
	fake_lock();
	result = take(address, bytes, pool);
	fake_unlock();
	return result;
}
ALSO(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync,
     (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream),
     (address, bytes, pool, stream))

CALL(cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream),
     (address, bytes, stream))
{
	CUcontext context = context_now();
	CUresult result;

	(void)stream;
	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	fake_lock();
	result = take(address, bytes, chosen_pool(context->device));
	fake_unlock();
	return result;
}
ALSO(cuMemAllocAsync_ptsz, cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream),
     (address, bytes, stream))

/* With the lock held: a pool's memory ends, be it made here or imported. False: it is neither. */
bool pool_give(CUdeviceptr address)
{
	struct arena *arena;
	struct piece *piece = arena_find(address, &arena);
	struct mapping *mapping = mapping_find(address, MAPPING_POOL);

	if (piece && piece->start == address && piece->kind == PIECE_POOL) {
		memory_give(arena, piece);
		return true;
	}
	if (!mapping || mapping->start != address)
		return false;
	munmap((void *)(uintptr_t)mapping->base, mapping->length);
	pool_dropped(mapping->object, 0);
	mapping_drop(mapping);
	return true;
}

CALL(cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, stream))
{
	bool fine;

	(void)stream;
	fake_lock();
	fine = !address || pool_give(address);
	fake_unlock();
	return fine ? CUDA_SUCCESS : memory_end(address, 1u << PIECE_DEVICE);
}
ALSO(cuMemFreeAsync_ptsz, cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, stream))

/* Other processes */

CALL(cuMemPoolExportToShareableHandle,
     (void *shareable, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags),
     (shareable, pool, type, flags))
{
	int fd;

	if (!shareable || !pool_ok(pool) || flags || !pool->arena ||
	    type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	fd = fcntl(pool->arena->fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	pool->exported = true;
	*(int *)shareable = fd;
	return CUDA_SUCCESS;
}

static CUresult import(CUmemoryPool *pool, int fd)
{
	struct arena_head head;
	CUdevice device;
	CUmemoryPool made;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.magic != ARENA_MAGIC ||
	    !head.handle_types)
		return CUDA_ERROR_INVALID_VALUE;
	device = device_by_uuid(&head.uuid);
	if (device < 0)
		return CUDA_ERROR_INVALID_DEVICE;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	made = pool_take(device);
	made->fd = fd;
	made->arena_id = head.id;
	*pool = made;
	return CUDA_SUCCESS;
}

CALL(cuMemPoolImportFromShareableHandle,
     (CUmemoryPool * pool, void *shareable, CUmemAllocationHandleType type,
      unsigned long long flags),
     (pool, shareable, type, flags))
{
	CUresult result;

	if (!pool || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	fake_lock();
	result = import(pool, (int)(intptr_t)shareable);
	fake_unlock();
	return result;
}

CALL(cuMemPoolExportPointer, (CUmemPoolPtrExportData * data, CUdeviceptr address), (data, address))
{
	struct arena *arena;
	struct piece *piece;
	struct pointer pointer = {.magic = POINTER_MAGIC};
	bool fine;

	fake_lock();
	piece = arena_find(address, &arena);
	fine = data && piece && piece->start == address && piece->pool &&
	       piece->pool->arena == arena && piece->pool->exported;
	if (fine && !piece->shared)
		piece->shared = arena_share(arena, piece->id);
	if (fine) {
		pointer.place = piece->shared;
		pointer.arena = arena->head->id;
		pointer.id = piece->id;
		pointer.offset = piece->start - (uintptr_t)arena->base;
		pointer.bytes = piece->bytes;
		memcpy(data, &pointer, sizeof(pointer));
	}
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult map_pointer(CUdeviceptr *address, CUmemoryPool pool, const struct pointer *pointer)
{
	uint64_t inside = pointer->offset & 4095,
		 length = (inside + pointer->bytes + 4095) & ~4095ull;
	struct shared_place place;
	struct mapping *mapping;
	off_t at = sizeof(struct arena_head) + (off_t)pointer->place * sizeof(place);
	char *base;

	if (pread(pool->fd, &place, sizeof(place), at) != sizeof(place) || place.id != pointer->id)
		return CUDA_ERROR_INVALID_HANDLE;
	base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, pool->fd,
		    pointer->offset - inside);
	if (base == MAP_FAILED)
		return FAKE_MAP_FAILED;
	mapping = mapping_add((uintptr_t)base + inside, pointer->bytes, MAPPING_POOL);
	mapping->base = (uintptr_t)base;
	mapping->length = length;
	mapping->id = pointer->id;
	mapping->arena = pointer->arena;
	mapping->device = pool->device;
	mapping->object = pool;
	pool->live++;
	*address = mapping->start;
	return CUDA_SUCCESS;
}

CALL(cuMemPoolImportPointer,
     (CUdeviceptr * address, CUmemoryPool pool, CUmemPoolPtrExportData *data),
     (address, pool, data))
{
	struct pointer pointer;
	CUresult result = CUDA_ERROR_INVALID_VALUE;

	if (!address || !data)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&pointer, data, sizeof(pointer));
	fake_lock();
	if (pool_ok(pool) && pool->fd >= 0 && pointer.magic == POINTER_MAGIC &&
	    pointer.arena == pool->arena_id)
		result = map_pointer(address, pool, &pointer);
	fake_unlock();
	return result;
}
