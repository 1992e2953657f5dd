/*
 * Legacy handles, of memory and of events: 64 bytes that say whose arena, and which place in its head. The opener reaches the
 * file through /proc, so a handle is good as long as the exporter lives and has not freed what it names.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"

struct name {
	uint32_t magic, place;
	int32_t pid, fd;
	uint64_t arena, id, offset, bytes;
	CUuuid uuid;
};

_Static_assert(sizeof(struct name) == CU_IPC_HANDLE_SIZE, "a handle has 64 bytes");

enum { NAME_MEMORY = 0x6d656d31, NAME_EVENT = 0x65767431 };

static void write_name(struct name *name, uint32_t magic, uint32_t place, uint64_t id)
{
	const struct arena *arena = arena_main();

	*name = (struct name){.magic = magic,
			      .place = place,
			      .pid = getpid(),
			      .fd = arena->fd,
			      .arena = arena->head->id,
			      .id = id};
}

/* The exporter's file, if what the name says still lives there; -1: not. */
static int open_name(const struct name *name)
{
	struct arena_head head;
	struct shared_place place;
	off_t at = sizeof(head) + (off_t)name->place * sizeof(place);
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", name->pid, name->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (pread(fd, &head, sizeof(head), 0) == sizeof(head) && head.magic == ARENA_MAGIC &&
	    head.id == name->arena && pread(fd, &place, sizeof(place), at) == sizeof(place) &&
	    place.id == name->id)
		return fd;
	close(fd);
	return -1;
}

CALL(cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr address), (handle, address))
{
	struct arena *arena;
	struct piece *piece;
	struct name name;
	CUresult result = CUDA_ERROR_INVALID_VALUE;

	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	fake_lock();
	piece = arena_find(address, &arena);
	if (piece && piece->kind == PIECE_DEVICE) {
		if (!piece->shared)
			piece->shared = arena_share(arena, piece->id);
		write_name(&name, NAME_MEMORY, piece->shared, piece->id);
		name.offset = piece->start - (uintptr_t)arena->base;
		name.bytes = piece->bytes;
		name.uuid = *device_uuid(piece->device);
		memcpy(handle, &name, sizeof(name));
		result = piece->shared ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	fake_unlock();
	return result;
}

static struct mapping *already_open(const struct name *name)
{
	struct mapping *mapping = NULL;

	while ((mapping = mapping_after(mapping ? mapping->start + 1 : 0, MAPPING_IPC)))
		if (mapping->id == name->id && mapping->arena == name->arena)
			return mapping;
	return NULL;
}

/*
 * A second open by the same context counts, another context is refused; drivers before that refused both, and so does this
 * one when told to.
 */
static CUresult open_again(struct mapping *mapping, CUdeviceptr *address)
{
	if (getenv("MPSAN_FAKE_OPEN_ONCE"))
		return CUDA_ERROR_ALREADY_MAPPED;
	if (mapping->context != context_now())
		return CUDA_ERROR_INVALID_HANDLE;
	mapping->opened++;
	*address = mapping->start;
	return CUDA_SUCCESS;
}

static CUresult map_name(const struct name *name, int fd, CUdeviceptr *address)
{
	uint64_t inside = name->offset & 4095, length = (inside + name->bytes + 4095) & ~4095ull;
	char *base =
		mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, name->offset - inside);
	struct mapping *mapping;

	if (base == MAP_FAILED)
		return FAKE_MAP_FAILED;
	mapping = mapping_add((uintptr_t)base + inside, name->bytes, MAPPING_IPC);
	mapping->base = (uintptr_t)base;
	mapping->length = length;
	mapping->id = name->id;
	mapping->arena = name->arena;
	mapping->context = context_now();
	mapping->device = mapping->context->device;
	*address = mapping->start;
	return CUDA_SUCCESS;
}

/* Opens under way, of all threads: they ask the exporter without the lock. */
static struct opening {
	const struct name *name;
	struct opening *next;
} * openings;

static bool is_under_way(const struct name *name)
{
	for (const struct opening *o = openings; o; o = o->next)
		if (o->name->id == name->id && o->name->arena == name->arena)
			return true;
	return false;
}

static int ask_exporter(const struct name *name)
{
	struct opening own = {name, openings}, **at = &openings;
	int fd;

	openings = &own;
	fake_unlock();
	fd = open_name(name);
	fake_lock();
	while (*at != &own)
		at = &(*at)->next;
	*at = own.next;
	return fd;
}

static CUresult open_memory(const struct name *name, CUdeviceptr *address)
{
	struct mapping *mapping = already_open(name);
	CUresult result;
	int fd;

	if (is_under_way(name))
		return CUDA_ERROR_ALREADY_MAPPED;
	if (mapping)
		return open_again(mapping, address);
	fd = ask_exporter(name);
	if (fd < 0) /* the exporter freed it, or ended */
		return kill(name->pid, 0) == 0 ? CUDA_ERROR_INVALID_VALUE :
						 CUDA_ERROR_INVALID_HANDLE;
	result = map_name(name, fd, address);
	close(fd);
	return result;
}

/* Whether the current context may have this memory at all. */
static CUresult check_opener(const struct name *name, unsigned flags)
{
	CUcontext context = context_now();
	CUdevice device = device_by_uuid(&name->uuid);

	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (name->magic != NAME_MEMORY || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
		return CUDA_ERROR_INVALID_VALUE;
	if (name->pid == getpid())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (device < 0)
		return CUDA_ERROR_INVALID_DEVICE;
	if (device != context->device && !device_peers(context->device, device))
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	return CUDA_SUCCESS;
}

CALL(cuIpcOpenMemHandle_v2, (CUdeviceptr * address, CUipcMemHandle handle, unsigned flags),
     (address, handle, flags))
{
	struct name name;
	CUresult result;

	memcpy(&name, &handle, sizeof(name));
	result = address ? check_opener(&name, flags) : CUDA_ERROR_INVALID_VALUE;
	if (result != CUDA_SUCCESS)
		return result;
	fake_lock();
	result = open_memory(&name, address);
	fake_unlock();
	return result;
}
ALSO(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2,
     (CUdeviceptr * address, CUipcMemHandle handle, unsigned flags), (address, handle, flags))

CALL(cuIpcCloseMemHandle, (CUdeviceptr address), (address))
{
	struct mapping *mapping;
	bool fine;

	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	fake_lock();
	mapping = mapping_find(address, MAPPING_IPC);
	fine = mapping && mapping->start == address;
	if (fine && --mapping->opened == 0) {
		munmap((void *)(uintptr_t)mapping->base, mapping->length);
		mapping_drop(mapping);
	}
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CALL(cuIpcGetEventHandle, (CUipcEventHandle * handle, CUevent event), (handle, event))
{
	struct name name;
	uint32_t place;

	if (!handle || !event_ok(event))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!(event->flags & CU_EVENT_INTERPROCESS) || event->foreign)
		return CUDA_ERROR_INVALID_VALUE;
	fake_lock();
	place = event->shared ? event->shared : arena_share(arena_main(), event->id);
	event->shared = place;
	write_name(&name, NAME_EVENT, place, event->id);
	fake_unlock();
	memcpy(handle, &name, sizeof(name));
	return place ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CALL(cuIpcOpenEventHandle, (CUevent * event, CUipcEventHandle handle), (event, handle))
{
	struct name name;
	int fd;

	memcpy(&name, &handle, sizeof(name));
	if (!event || name.magic != NAME_EVENT)
		return CUDA_ERROR_INVALID_VALUE;
	if (!context_now() || name.pid == getpid())
		return CUDA_ERROR_INVALID_CONTEXT;
	fd = open_name(&name);
	if (fd < 0)
		return CUDA_ERROR_INVALID_HANDLE;
	close(fd);
	*event = event_take(CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
	if (!*event)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*event)->foreign = true;
	return CUDA_SUCCESS;
}
