/*
 * Physical memory and addresses apart. A piece of physical memory that may be exported is a file of its own, which lives as
 * long as anybody has it open or mapped; its last page says what it is. One that may not lies in the main arena.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"

#define GRANULARITY (2ull << 20)
#define PHYSICAL_MAGIC 0x6c61636973796870ull
#define TAIL 4096

struct physical {
	uint64_t alive;
	struct physical *next;
	struct piece *piece; /* NULL: it has its own file */
	uint64_t bytes, id;
	uint32_t handles, mapped;
	int fd, device;
	bool imported;
	CUmemAllocationHandleType types;
};

/* At the end of the file. */
struct tail {
	uint64_t magic, bytes, id;
	CUuuid uuid;
	uint32_t types;
};

static struct physical *unused;

static struct physical *physical_take(uint64_t bytes, int device)
{
	struct physical *made = unused;

	if (made)
		unused = made->next;
	else
		made = malloc(sizeof(*made));
	if (made)
		*made = (struct physical){.alive = PHYSICAL_MAGIC,
					  .bytes = bytes,
					  .id = fake_id(),
					  .handles = 1,
					  .fd = -1,
					  .device = device};
	return made;
}

static struct physical *physical_of(CUmemGenericAllocationHandle handle)
{
	struct physical *physical = (struct physical *)(uintptr_t)handle;

	return physical && physical->alive == PHYSICAL_MAGIC ? physical : NULL;
}

/* Ends when neither a handle nor a mapping is left. */
static void physical_check(struct physical *physical)
{
	if (physical->handles || physical->mapped)
		return;
	if (physical->piece)
		memory_give(arena_main(), physical->piece);
	else if (!physical->imported)
		device_take(physical->device, -(int64_t)physical->bytes);
	if (physical->fd >= 0)
		close(physical->fd);
	physical->alive = 0;
	physical->next = unused;
	unused = physical;
}

static bool make_file(struct physical *physical)
{
	struct tail tail = {PHYSICAL_MAGIC, physical->bytes, physical->id,
			    *device_uuid(physical->device), physical->types};

	physical->fd = memfd_create("mpsan-fake-gpu", MFD_CLOEXEC);
	return physical->fd >= 0 && ftruncate(physical->fd, physical->bytes + TAIL) == 0 &&
	       pwrite(physical->fd, &tail, sizeof(tail), physical->bytes) == sizeof(tail);
}

static CUresult make_physical(CUmemGenericAllocationHandle *handle, uint64_t bytes,
			      const CUmemAllocationProp *properties)
{
	int device = properties->location.id;
	struct physical *made;
	bool fine;

	if (!device_take(device, bytes))
		return CUDA_ERROR_OUT_OF_MEMORY;
	made = physical_take(bytes, device);
	made->types = properties->requestedHandleTypes;
	if (made->types) {
		fine = make_file(made);
	} else {
		made->piece = arena_take(arena_main(), bytes);
		fine = made->piece;
		if (fine) {
			made->piece->kind = PIECE_PHYSICAL;
			made->piece->device = device;
			made->piece->pool = NULL;
		}
	}
	if (!fine) {
		made->handles = 0;
		physical_check(made);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*handle = (uintptr_t)made;
	return CUDA_SUCCESS;
}

CALL(cuMemCreate,
     (CUmemGenericAllocationHandle * handle, size_t bytes, const CUmemAllocationProp *properties,
      unsigned long long flags),
     (handle, bytes, properties, flags))
{
	CUresult result;

	if (!handle || !properties || !bytes || bytes % GRANULARITY || flags ||
	    properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (properties->requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC)
		return CUDA_ERROR_NOT_PERMITTED; /* no fabric here */
	if (properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!device_exists(properties->location.id))
		return CUDA_ERROR_INVALID_DEVICE;
	fake_lock();
	result = make_physical(handle, bytes, properties);
	fake_unlock();
	return result;
}

CALL(cuMemRelease, (CUmemGenericAllocationHandle handle), (handle))
{
	struct physical *physical;
	bool fine;

	fake_lock();
	physical = physical_of(handle);
	fine = physical && physical->handles;
	if (fine) {
		physical->handles--;
		physical_check(physical);
	}
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CALL(cuMemGetAllocationGranularity,
     (size_t * bytes, const CUmemAllocationProp *properties, int option),
     (bytes, properties, option))
{
	(void)option;
	if (!bytes || !properties)
		return CUDA_ERROR_INVALID_VALUE;
	*bytes = GRANULARITY;
	return CUDA_SUCCESS;
}

CALL(cuMemGetAllocationPropertiesFromHandle,
     (CUmemAllocationProp * properties, CUmemGenericAllocationHandle handle), (properties, handle))
{
	struct physical *physical;

	if (!properties)
		return CUDA_ERROR_INVALID_VALUE;
	fake_lock();
	physical = physical_of(handle);
	if (physical)
		*properties = (CUmemAllocationProp){
			.type = CU_MEM_ALLOCATION_TYPE_PINNED,
			.requestedHandleTypes = physical->types,
			.location = {CU_MEM_LOCATION_TYPE_DEVICE, physical->device}};
	fake_unlock();
	return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Addresses */

#define RESERVE                                                                   \
	CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted, \
		unsigned long long flags

CALL(cuMemAddressReserve, (RESERVE), (address, bytes, alignment, wanted, flags))
{
	size_t room = bytes + GRANULARITY;
	uintptr_t base, start;

	(void)alignment;
	if (!address || !bytes || bytes % GRANULARITY || flags)
		return CUDA_ERROR_INVALID_VALUE;
	base = (uintptr_t)mmap((void *)(uintptr_t)wanted, room, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == (uintptr_t)MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	start = (base + GRANULARITY - 1) & ~(GRANULARITY - 1);
	if (start != base)
		munmap((void *)base, start - base);
	if (start - base != GRANULARITY)
		munmap((void *)(start + bytes), base + room - start - bytes);
	fake_lock();
	mapping_add(start, bytes, MAPPING_RESERVED);
	fake_unlock();
	*address = start;
	return CUDA_SUCCESS;
}

/* Whether anything is mapped in these addresses. */
static bool is_mapped(CUdeviceptr address, size_t bytes)
{
	struct mapping *next = mapping_after(address, MAPPING_PHYSICAL);

	return mapping_find(address, MAPPING_PHYSICAL) || (next && next->start < address + bytes);
}

CALL(cuMemAddressFree, (CUdeviceptr address, size_t bytes), (address, bytes))
{
	struct mapping *reserved;
	bool fine;

	fake_lock();
	reserved = mapping_find(address, MAPPING_RESERVED);
	fine = reserved && reserved->start == address && reserved->bytes == bytes &&
	       !is_mapped(address, bytes);
	if (fine) {
		munmap((void *)(uintptr_t)address, bytes);
		mapping_drop(reserved);
	}
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult map(CUdeviceptr address, size_t bytes, struct physical *physical)
{
	struct mapping *reserved = mapping_find(address, MAPPING_RESERVED), *mapping;
	const struct arena *arena = arena_main();
	void *mapped;

	if (!reserved || address + bytes > reserved->start + reserved->bytes ||
	    is_mapped(address, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	mapped = mmap((void *)(uintptr_t)address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
		      physical->piece ? arena->fd : physical->fd,
		      physical->piece ? physical->piece->start - (uintptr_t)arena->base : 0);
	if (mapped == MAP_FAILED)
		return FAKE_MAP_FAILED;
	mapping = mapping_add(address, bytes, MAPPING_PHYSICAL);
	mapping->object = physical;
	mapping->device = physical->device;
	mapping->id = physical->id;
	mapping->opened = 0;
	physical->mapped++;
	return CUDA_SUCCESS;
}

#define MAP                                                                                    \
	CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle, \
		unsigned long long flags

CALL(cuMemMap, (MAP), (address, bytes, offset, handle, flags))
{
	struct physical *physical;
	CUresult result = CUDA_ERROR_INVALID_VALUE;

	fake_lock();
	physical = physical_of(handle);
	if (physical && !offset && !flags && bytes == physical->bytes && address % GRANULARITY == 0)
		result = map(address, bytes, physical);
	fake_unlock();
	return result;
}

/* The next mapping in [*at, end), if the addresses up to its end are all mapped; moves *at there. */
static struct mapping *step(uint64_t *at, uint64_t end)
{
	struct mapping *mapping = *at < end ? mapping_find(*at, MAPPING_PHYSICAL) : NULL;

	if (!mapping || mapping->start != *at || mapping->start + mapping->bytes > end)
		return NULL;
	*at += mapping->bytes;
	return mapping;
}

static bool is_whole(CUdeviceptr address, size_t bytes)
{
	uint64_t at = address;

	while (step(&at, address + bytes))
		continue;
	return bytes && at == address + bytes;
}

CALL(cuMemSetAccess, (CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list, size_t count),
     (address, bytes, list, count))
{
	struct mapping *mapping;
	uint64_t at = address;
	bool fine;

	if (!list || !count)
		return CUDA_ERROR_INVALID_VALUE;
	fake_lock();
	fine = is_whole(address, bytes);
	if (fine)
		mprotect((void *)(uintptr_t)address, bytes,
			 list->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? 3 : list->flags);
	while (fine && (mapping = step(&at, address + bytes)))
		mapping->opened = list->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CALL(cuMemUnmap, (CUdeviceptr address, size_t bytes), (address, bytes))
{
	struct mapping *mapping;
	uint64_t at = address;
	bool fine;

	fake_lock();
	fine = is_whole(address, bytes);
	while (fine && (mapping = step(&at, address + bytes))) {
		struct physical *physical = mapping->object;

		mmap((void *)(uintptr_t)mapping->start, mapping->bytes, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		mapping_drop(mapping);
		physical->mapped--;
		physical_check(physical);
	}
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CALL(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle * handle, void *address),
     (handle, address))
{
	struct mapping *mapping;

	fake_lock();
	mapping = mapping_find((uintptr_t)address, MAPPING_PHYSICAL);
	if (mapping && handle) {
		((struct physical *)mapping->object)->handles++;
		*handle = (uintptr_t)mapping->object;
	}
	fake_unlock();
	return mapping && handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Other processes */

CALL(cuMemExportToShareableHandle,
     (void *shareable, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
      unsigned long long flags),
     (shareable, handle, type, flags))
{
	struct physical *physical;
	bool fine;
	int fd = -1;

	if (!shareable || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	fake_lock();
	physical = physical_of(handle);
	fine = physical && physical->types & type && !physical->imported;
	if (fine)
		fd = fcntl(physical->fd, F_DUPFD_CLOEXEC, 3);
	fake_unlock();
	if (fd < 0)
		return fine ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_ERROR_INVALID_VALUE;
	*(int *)shareable = fd;
	return CUDA_SUCCESS;
}

static CUresult import(CUmemGenericAllocationHandle *handle, int fd)
{
	struct tail tail;
	struct physical *made;
	off_t end = lseek(fd, 0, SEEK_END);
	CUdevice device;

	if (end < TAIL || pread(fd, &tail, sizeof(tail), end - TAIL) != sizeof(tail) ||
	    tail.magic != PHYSICAL_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	device = device_by_uuid(&tail.uuid);
	if (device < 0)
		return CUDA_ERROR_INVALID_DEVICE;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	made = physical_take(tail.bytes, device);
	made->fd = fd;
	made->imported = true;
	made->types = tail.types;
	*handle = (uintptr_t)made;
	return CUDA_SUCCESS;
}

CALL(cuMemImportFromShareableHandle,
     (CUmemGenericAllocationHandle * handle, void *shareable, CUmemAllocationHandleType type),
     (handle, shareable, type))
{
	CUresult result;

	if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	fake_lock();
	result = import(handle, (int)(intptr_t)shareable);
	fake_unlock();
	return result;
}
