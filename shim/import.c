/*
 * See import.h. The driver is asked directly: the runtime would keep an error of ours for the
 * program's next cudaGetLastError. Each mapping has an entry in the registry under this process and
 * the identity of its handle, so that the living importers of an export can be told at any time and
 * a death spoils no count.
 */
#include "import.h"

#include <errno.h>
#include <string.h>

#include "abi/cuda.h"
#include "cuda.h"
#include "exported.h"
#include "hook.h"
#include "life.h"
#include "log.h"
#include "scope.h"
#include "stack.h"
#include "registry.h"
#include "sys.h"

#define SYS_PIDFD_OPEN 434
#define SYS_PIDFD_GETFD 438
#define POOLS 16u

/* Functions of the driver that no hook has a prototype of. */
typedef CUresult get_context_fn(CUcontext *context);
typedef CUresult get_device_fn(CUdevice *device);
typedef CUresult reserve_fn(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr at,
			    unsigned long long flags);
typedef CUresult set_access_fn(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
			       size_t count);
typedef CUresult address_free_fn(CUdeviceptr address, size_t bytes);

/* What one opening is about. */
struct opening {
	const struct mpsan_export_place *of;
	uint64_t caller;
	uint64_t mapped;
	CUresult result; /* of the driver's call that failed */
};

static void *find(const char *name, uint64_t caller)
{
	return scope_find(name, caller).real;
}

/* The driver's function of that name and type; NULL: it has none. */
#define DRIVER(type, name, caller) ((type)find(name, caller))
#define ROW(name, caller) DRIVER(__typeof__(&name), #name, caller)

static int errno_of(CUresult result)
{
	switch ((int)result) {
	case CUDA_SUCCESS:
		return 0;
	case CUDA_ERROR_OUT_OF_MEMORY:
		return -ENOMEM;
	case CUDA_ERROR_NOT_INITIALIZED:
		return life.forked ? -ECHILD : -ENODEV;
	case CUDA_ERROR_NO_DEVICE:
	case CUDA_ERROR_INVALID_DEVICE:
	case CUDA_ERROR_INVALID_CONTEXT:
		return -ENODEV;
	case CUDA_ERROR_ALREADY_MAPPED:
		return -EBUSY;
	case CUDA_ERROR_INVALID_VALUE:
	case CUDA_ERROR_INVALID_HANDLE:
		return -ESTALE; /* it was whole when it was entered: its memory is gone */
	case CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
	case CUDA_ERROR_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

static bool has_context(uint64_t caller)
{
	get_context_fn *get = DRIVER(get_context_fn *, "cuCtxGetCurrent", caller);
	CUcontext context = NULL;

	return get && !get(&context) && context;
}

void import_prepare(uint64_t caller)
{
	__typeof__(&cudaFree) first_call = NULL;
	int error = errno;

	if (!cuda.inherited && !has_context(caller))
		first_call = ROW(cudaFree, caller);
	if (first_call)
		first_call(NULL);
	errno = error;
}

/* ---- descriptors of the owner ---- */

static enum mpsan_ipc_cause cause_of(long error, const struct mpsan_process *owner)
{
	char text[8] = "";

	if (error == -EBADF)
		return MPSAN_CAUSE_CLOSED;
	if (error == -ESRCH)
		return MPSAN_CAUSE_GONE;
	if (error != -EPERM)
		return MPSAN_CAUSE_UNKNOWN;
	if (owner->uid != (uint32_t)SYS1(SYS_geteuid, 0))
		return MPSAN_CAUSE_USER;
	if (sys_read_file("/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text)) > 0 &&
	    *text != '0')
		return MPSAN_CAUSE_YAMA;
	return MPSAN_CAUSE_CAPABILITY;
}

static void state_refusal(const struct opening *o, long error)
{
	const struct mpsan_process *owner = &life.table[o->of->owner];

	EMIT(ipc_refused, .function = log_text("pidfd_getfd"), .result = (uint64_t)-error,
	     .cause = cause_of(error, owner), .memory = o->of->memory, .address = o->of->start,
	     .other = owner->pid, .caller = o->caller, .stack = stack_own(),
	     .python = stack_python(0));
}

static long take_fd(const struct opening *o)
{
	long process = SYS2(SYS_PIDFD_OPEN, life.table[o->of->owner].pid, 0), fd = process;

	if (process >= 0) {
		fd = SYS3(SYS_PIDFD_GETFD, process, o->of->fd, 0);
		SYS1(SYS_close, process);
	}
	if (fd < 0)
		state_refusal(o, fd);
	return fd == -EBADF ? -ESTALE : fd == -ENOSYS ? -EOPNOTSUPP : fd;
}

/* ---- the three ways of mapping ---- */

static int open_legacy(struct opening *o)
{
	__typeof__(&cuIpcOpenMemHandle_v2) open_handle = ROW(cuIpcOpenMemHandle_v2, o->caller);
	CUdeviceptr address = 0;
	CUipcMemHandle handle;

	if (!open_handle) /* before 11.0 its name was this, its parameters the same */
		open_handle = ROW(cuIpcOpenMemHandle, o->caller);
	if (!open_handle)
		return -ENODEV;
	memcpy(&handle, o->of->handle_bytes, sizeof(handle));
	o->result = open_handle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	o->mapped = address;
	return errno_of(o->result);
}

struct vmm {
	get_device_fn *get_device;
	reserve_fn *reserve;
	__typeof__(&cuMemMap) map;
	set_access_fn *set_access;
	__typeof__(&cuMemUnmap) unmap;
	address_free_fn *address_free;
	__typeof__(&cuMemRelease) release;
};

static bool find_vmm(struct vmm *vmm, uint64_t caller)
{
	*vmm = (struct vmm){
		.get_device = DRIVER(get_device_fn *, "cuCtxGetDevice", caller),
		.reserve = DRIVER(reserve_fn *, "cuMemAddressReserve", caller),
		.map = ROW(cuMemMap, caller),
		.set_access = DRIVER(set_access_fn *, "cuMemSetAccess", caller),
		.unmap = ROW(cuMemUnmap, caller),
		.address_free = DRIVER(address_free_fn *, "cuMemAddressFree", caller),
		.release = ROW(cuMemRelease, caller),
	};
	return vmm->get_device && vmm->reserve && vmm->map && vmm->set_access && vmm->unmap &&
	       vmm->address_free && vmm->release;
}

static CUresult map_vmm(const struct vmm *vmm, CUmemGenericAllocationHandle handle, uint64_t bytes,
			uint64_t *mapped)
{
	CUmemAccessDesc access = {.location.type = CU_MEM_LOCATION_TYPE_DEVICE,
				  .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUdeviceptr address = 0;
	CUresult result = vmm->get_device(&access.location.id);

	if (result || (result = vmm->reserve(&address, bytes, 0, 0, 0)))
		return result;
	result = vmm->map(address, bytes, 0, handle, 0);
	if (!result && (result = vmm->set_access(address, bytes, &access, 1)))
		vmm->unmap(address, bytes);
	if (result)
		vmm->address_free(address, bytes);
	*mapped = address;
	return result;
}

static int open_vmm(struct opening *o)
{
	__typeof__(&cuMemImportFromShareableHandle) import =
		ROW(cuMemImportFromShareableHandle, o->caller);
	CUmemGenericAllocationHandle handle;
	struct vmm vmm;
	long fd;

	if (!import || !find_vmm(&vmm, o->caller))
		return -ENODEV;
	fd = take_fd(o);
	if (fd < 0)
		return (int)fd;
	o->result = import(&handle, (void *)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	SYS1(SYS_close, fd);
	if (o->result)
		return errno_of(o->result);
	o->result = map_vmm(&vmm, handle, o->of->bytes, &o->mapped);
	vmm.release(handle); /* the mapping keeps it */
	return errno_of(o->result);
}

/* Imported pools are kept: each takes one import for all of its pieces. */
static struct {
	uint64_t owner; /* slot << 32 | the pool's number there; 0: free */
	CUmemoryPool pool;
} pools[POOLS];

static CUmemoryPool known_pool(uint64_t owner)
{
	for (uint32_t i = 0; i < POOLS; i++)
		if (__atomic_load_n(&pools[i].owner, __ATOMIC_ACQUIRE) == owner)
			return __atomic_load_n(&pools[i].pool, __ATOMIC_ACQUIRE);
	return NULL;
}

static void remember_pool(uint64_t owner, CUmemoryPool pool)
{
	for (uint32_t i = 0; i < POOLS; i++) {
		uint64_t free = 0;

		if (!__atomic_compare_exchange_n(&pools[i].owner, &free, owner, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		__atomic_store_n(&pools[i].pool, pool, __ATOMIC_RELEASE);
		return;
	}
}

static int import_pool(struct opening *o, CUmemoryPool *pool)
{
	__typeof__(&cuMemPoolImportFromShareableHandle) import =
		ROW(cuMemPoolImportFromShareableHandle, o->caller);
	uint64_t owner = (uint64_t)o->of->owner << 32 | (uint32_t)o->of->of_start;
	long fd;

	*pool = known_pool(owner);
	if (*pool)
		return 0;
	if (!import)
		return -ENODEV;
	fd = take_fd(o);
	if (fd < 0)
		return (int)fd;
	o->result = import(pool, (void *)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
	SYS1(SYS_close, fd);
	if (!o->result)
		remember_pool(owner, *pool);
	return errno_of(o->result);
}

static int open_pool(struct opening *o)
{
	__typeof__(&cuMemPoolImportPointer) import = ROW(cuMemPoolImportPointer, o->caller);
	CUmemPoolPtrExportData data;
	CUdeviceptr address = 0;
	CUmemoryPool pool;
	int result = import ? import_pool(o, &pool) : -ENODEV;

	if (result)
		return result;
	memcpy(&data, o->of->handle_bytes, sizeof(data));
	o->result = import(&address, pool, &data);
	o->mapped = address;
	return errno_of(o->result);
}

static int map(struct opening *o)
{
	switch (o->of->memory) {
	case MPSAN_MEMORY_DEVICE:
		return open_legacy(o);
	case MPSAN_MEMORY_VMM:
		return open_vmm(o);
	case MPSAN_MEMORY_POOL_POINTER:
		return open_pool(o);
	default:
		return -EOPNOTSUPP;
	}
}

static CUresult unmap_vmm(uint64_t address, uint64_t bytes, uint64_t caller)
{
	CUresult result;
	struct vmm vmm;

	if (!find_vmm(&vmm, caller))
		return CUDA_ERROR_NOT_FOUND;
	result = vmm.unmap(address, bytes);
	return result ? result : vmm.address_free(address, bytes);
}

static CUresult unmap(const struct mpsan_export_place *import, uint64_t caller)
{
	CUresult (*close_it)(CUdeviceptr) = import->memory == MPSAN_MEMORY_POOL_POINTER ?
						    ROW(cuMemFree_v2, caller) :
						    ROW(cuIpcCloseMemHandle, caller);

	if (import->memory == MPSAN_MEMORY_VMM)
		return unmap_vmm(import->mapped, import->bytes_mapped, caller);
	return close_it ? close_it(import->mapped) : CUDA_ERROR_NOT_FOUND;
}

/* ---- entries ---- */

#define OWN (life.slot | MPSAN_EXPORT_IMPORT)

static struct mpsan_export_place *own_import(uint64_t handle, struct mpsan_export_place *copy)
{
	struct ranges *table = exported_table(false);

	return table ? ranges_find(table, OWN, handle, copy) : NULL;
}

/* One more user of a mapping that is there. */
static bool join(const struct mpsan_export_place *of, uint64_t *mapped)
{
	struct mpsan_export_place copy, *place = own_import(of->handle, &copy);
	struct cuda_memory memory;
	uint32_t count = 0;

	if (!place)
		return false;
	if (cuda_memory_find(copy.mapped, &memory) && memory.handle == of->handle)
		count = __atomic_load_n(&place->count, __ATOMIC_ACQUIRE);
	else /* closed by a call of the program's own */
		exported_drop(place, &copy);
	while (count && !__atomic_compare_exchange_n(&place->count, &count, count + 1, false,
						     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	if (count)
		*mapped = copy.mapped;
	return count && ranges_same(place, &copy);
}

static void enter(const struct opening *o)
{
	struct mpsan_export_place *place = exported_claim(OWN, o->of->handle, 1);

	cuda_memory_imported(o->mapped, o->of->bytes, o->of->handle, o->caller);
	if (!place)
		return;
	registry_owns();
	place->memory = o->of->memory;
	place->device = o->of->device;
	place->gpu = o->of->gpu;
	place->handle = o->of->handle;
	place->fd = -1;
	place->flags = MPSAN_EXPORT_AUTO;
	place->born_ns = sys_now();
	place->of_start = o->of->start;
	place->of_slot = o->of->owner;
	place->count = 1;
	place->mapped = o->mapped;
	place->bytes_mapped = o->of->bytes;
	place->caller = o->caller;
	ranges_publish(place);
}

static void state_open(const struct opening *o)
{
	const struct mpsan_export_place *of = o->of;

	EMIT(ipc_open, .handle = of->handle, .memory = of->memory, .address = o->mapped,
	     .bytes = of->bytes, .device = (uint64_t)(int64_t)of->device, .gpu = of->gpu,
	     .result = o->result,
	     .flags = MPSAN_IPC_AUTO |
		      (o->result == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ? MPSAN_IPC_NO_PEER : 0),
	     .owner_slot = of->owner + 1, .owner_base = of->start, .owner_born = of->born_ns,
	     .owner_stack = of->stack, .owner_python = of->python,
	     .function = log_text("mpsan_ipc_open"), .caller = o->caller, .stack = stack_own(),
	     .python = stack_python(0));
}

int import_open(const struct mpsan_export *exported, uint64_t caller, void **pointer)
{
	struct mpsan_export_place of, *place;
	struct opening o = {.of = &of, .caller = caller};
	int result;

	if (exported->owner == life.slot || exported->offset >= exported->bytes)
		return -EINVAL;
	if (cuda.inherited)
		return -ECHILD;
	result = exported_find(exported->owner, exported->base, &of, &place);
	if (result == -ENOENT)
		return exported_lives(exported->owner) ? -ESTALE : -ESRCH;
	if (result)
		return result;
	if (of.born_ns != exported->born_ns || of.start != exported->base)
		return -ESTALE;
	if (!join(&of, &o.mapped)) {
		if (!exported_opened(place, &of))
			return -ESTALE;
		result = has_context(caller) ? map(&o) : -ENODEV;
		if (!result)
			enter(&o);
		if (!result || o.result)
			state_open(&o);
	}
	if (!result)
		*pointer = (void *)(uintptr_t)(o.mapped + exported->offset);
	return result;
}

/* Takes away one user; true: it was the last. */
static bool leave(struct mpsan_export_place *place)
{
	uint32_t count = __atomic_load_n(&place->count, __ATOMIC_ACQUIRE);

	while (count && !__atomic_compare_exchange_n(&place->count, &count, count - 1, false,
						     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return count == 1;
}

int import_close(uint64_t address, uint64_t caller)
{
	struct mpsan_export_place copy, *place;
	struct cuda_memory memory;

	if (!cuda_memory_find(address, &memory) || memory.memory != MPSAN_MEMORY_IMPORTED)
		return -EINVAL;
	place = own_import(memory.handle, &copy);
	if (!place || copy.mapped != memory.range.start)
		return -EINVAL;
	if (!leave(place))
		return 0;
	EMIT(ipc_close, .handle = copy.handle, .address = copy.mapped,
	     .function = log_text("mpsan_ipc_close"), .caller = caller, .stack = stack_own(),
	     .python = stack_python(0));
	exported_drop(place, &copy);
	cuda_memory_gone(copy.mapped, &memory);
	return errno_of(unmap(&copy, caller)) ? -EIO : 0;
}
