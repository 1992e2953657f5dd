/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps exports by legacy handle, VMM descriptor or pool descriptor. It calls the driver directly:
 * the runtime would keep an error for the program's next cudaGetLastError.
 */
#include "ipc_map.h"

#include <errno.h>
#include <string.h>

#include "../common/ranges.h"
#include "../intercept/hook.h"
#include "../intercept/scope.h"
#include "../intercept/sys.h"
#include "../record/state.h"
#include "cuda.h"
#include "cuda_fetch.h"

#define POOLS 16u

/* Functions of the driver that are not hooked. */
typedef CUresult get_context_fn(CUcontext *context);
typedef CUresult get_device_fn(CUdevice *device);
typedef CUresult reserve_fn(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr at,
			    unsigned long long flags);
typedef CUresult set_access_fn(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
			       size_t count);
typedef CUresult address_free_fn(CUdeviceptr address, size_t bytes);

static void *ipc_map_find(const char *name, uint64_t caller)
{
	return scope_find(name, caller).real;
}

/* The driver's function of that name and type; NULL: it has none. */
#define DRIVER(type, name, caller) ((type)ipc_map_find(name, caller))
#define ROW(name, caller) DRIVER(__typeof__(&name), #name, caller)

int ipc_map_errno(CUresult result)
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
		return -ESTALE; /* it was valid when it was entered: its memory was freed */
	case CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
	case CUDA_ERROR_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

bool ipc_map_has_context(uint64_t caller)
{
	get_context_fn *get = DRIVER(get_context_fn *, "cuCtxGetCurrent", caller);
	CUcontext context = NULL;

	return get && !get(&context) && context;
}

void ipc_map_prepare(uint64_t caller)
{
	__typeof__(&cudaFree) first_call = NULL;
	int error = errno;

	if (!cuda.inherited && !ipc_map_has_context(caller))
		first_call = ROW(cudaFree, caller);
	if (first_call)
		first_call(NULL);
	errno = error;
}

/* ---- descriptors of the owner ---- */

/*
 * Takes the owner's descriptor. It is valid as long as its entry exists: after that its number may
 * be reused.
 */
static long take_fd(const struct opening *o)
{
	long process = SYS2(SYS_pidfd_open, life.table[o->of->owner].pid, 0), fd = process;

	if (process >= 0) {
		fd = SYS3(SYS_pidfd_getfd, process, o->of->fd, 0);
		SYS1(SYS_close, process);
	}
	if (!ranges_same(o->place, o->of)) {
		if (fd >= 0)
			SYS1(SYS_close, fd);
		return -ESTALE;
	}
	if (fd < 0)
		cuda_fetch_refused((int)-fd, life.table[o->of->owner].pid, o->of->memory,
				   o->of->start, o->caller);
	return fd == -EBADF ? -ESTALE : fd == -ENOSYS ? -EOPNOTSUPP : fd;
}

/* ---- the three ways of mapping ---- */

static int open_legacy(struct opening *o)
{
	__typeof__(&cuIpcOpenMemHandle_v2) open_handle = ROW(cuIpcOpenMemHandle_v2, o->caller);
	CUdeviceptr address = 0;
	CUipcMemHandle handle;

	if (!open_handle) /* its name before 11.0, with the same parameters */
		open_handle = ROW(cuIpcOpenMemHandle, o->caller);
	if (!open_handle)
		return -ENODEV;
	memcpy(&handle, o->of->handle_bytes, sizeof(handle));
	o->result = open_handle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
	o->mapped = address;
	return ipc_map_errno(o->result);
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
		return ipc_map_errno(o->result);
	o->result = map_vmm(&vmm, handle, o->of->bytes, &o->mapped);
	vmm.release(handle); /* the mapping keeps it */
	return ipc_map_errno(o->result);
}

/*
 * Imported pools, which are kept: one import of a pool serves all its allocations. A descriptor's
 * number would not distinguish two pools of one owner.
 */
static struct {
	uint64_t identity; /* 0: free */
	CUmemoryPool pool;
} pools[POOLS];
static uint32_t next_pool;

static uint64_t pool_identity(const struct mpsan_export_place *of)
{
	const uint64_t parts[] = {of->owner, of->of_start};

	return cuda_handle(parts, sizeof(parts));
}

static CUmemoryPool known_pool(uint64_t identity)
{
	for (uint32_t i = 0; i < POOLS; i++)
		if (pools[i].identity == identity)
			return pools[i].pool;
	return NULL;
}

/*
 * Remembers a pool. A pool that is displaced lives on until its last allocation that is mapped here
 * is closed.
 */
static void remember_pool(uint64_t identity, CUmemoryPool pool, uint64_t caller)
{
	__typeof__(&cuMemPoolDestroy) destroy = ROW(cuMemPoolDestroy, caller);
	uint32_t at = next_pool++ % POOLS;

	if (pools[at].identity && destroy)
		destroy(pools[at].pool);
	pools[at].identity = identity;
	pools[at].pool = pool;
}

static int import_pool(struct opening *o, CUmemoryPool *pool)
{
	__typeof__(&cuMemPoolImportFromShareableHandle) import =
		ROW(cuMemPoolImportFromShareableHandle, o->caller);
	uint64_t identity = pool_identity(o->of);
	long fd;

	*pool = known_pool(identity);
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
		remember_pool(identity, *pool, o->caller);
	return ipc_map_errno(o->result);
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
	return ipc_map_errno(o->result);
}

int ipc_map_open(struct opening *o)
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

CUresult ipc_map_unmap(const struct mpsan_export_place *import, uint64_t caller)
{
	CUresult (*close_it)(CUdeviceptr) = import->memory == MPSAN_MEMORY_POOL_POINTER ?
						    ROW(cuMemFree_v2, caller) :
						    ROW(cuIpcCloseMemHandle, caller);

	if (import->memory == MPSAN_MEMORY_VMM)
		return unmap_vmm(import->mapped, import->bytes_mapped, caller);
	return close_it ? close_it(import->mapped) : CUDA_ERROR_NOT_FOUND;
}
