/* Memory: made, freed, asked about, shared with other processes. */
#include <string.h>

#include "runtime.h"

#define ADDRESS(pointer) ((CUdeviceptr)(uintptr_t)(pointer))

RUNTIME(cudaMalloc, (void **address, size_t bytes), (address, bytes))
{
	if (!address)
		return cudaErrorInvalidValue;
	if (!bytes) {
		*address = NULL;
		return cudaSuccess;
	}
	return driver->cuMemAlloc((CUdeviceptr *)address, bytes);
}

RUNTIME(cudaMallocManaged, (void **address, size_t bytes, unsigned flags), (address, bytes, flags))
{
	return driver->cuMemAllocManaged((CUdeviceptr *)address, bytes, flags);
}

RUNTIME(cudaMallocAsync, (void **address, size_t bytes, cudaStream_t stream),
	(address, bytes, stream))
{
	return driver->cuMemAllocAsync((CUdeviceptr *)address, bytes, stream);
}
TWIN(cudaMallocAsync_ptsz, cudaMallocAsync, (void **address, size_t bytes, cudaStream_t stream),
     (address, bytes, stream))

#define FROM_POOL (void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)

RUNTIME(cudaMallocFromPoolAsync, FROM_POOL, (address, bytes, pool, stream))
{
	return driver->cuMemAllocFromPoolAsync((CUdeviceptr *)address, bytes, pool, stream);
}
TWIN(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync, FROM_POOL,
     (address, bytes, pool, stream))

RUNTIME(cudaMallocPitch, (void **address, size_t *pitch, size_t width, size_t height),
	(address, pitch, width, height))
{
	return driver->cuMemAllocPitch((CUdeviceptr *)address, pitch, width, height, 4);
}

RUNTIME(cudaMalloc3D, (struct cudaPitchedPtr * to, struct cudaExtent extent), (to, extent))
{
	to->xsize = extent.width;
	to->ysize = extent.height;
	return driver->cuMemAllocPitch((CUdeviceptr *)&to->ptr, &to->pitch, extent.width,
				       extent.height * extent.depth, 4);
}

RUNTIME(cudaFree, (void *address), (address))
{
	return driver->cuMemFree(ADDRESS(address));
}

RUNTIME(cudaFreeAsync, (void *address, cudaStream_t stream), (address, stream))
{
	return driver->cuMemFreeAsync(ADDRESS(address), stream);
}
TWIN(cudaFreeAsync_ptsz, cudaFreeAsync, (void *address, cudaStream_t stream), (address, stream))

RUNTIME(cudaMallocHost, (void **address, size_t bytes), (address, bytes))
{
	return driver->cuMemHostAlloc(address, bytes, 0);
}

RUNTIME(cudaHostAlloc, (void **address, size_t bytes, unsigned flags), (address, bytes, flags))
{
	return driver->cuMemHostAlloc(address, bytes, flags);
}

RUNTIME(cudaFreeHost, (void *address), (address))
{
	return address ? driver->cuMemFreeHost(address) : CUDA_SUCCESS;
}

RUNTIME(cudaHostRegister, (void *address, size_t bytes, unsigned flags), (address, bytes, flags))
{
	return driver->cuMemHostRegister(address, bytes, flags);
}

RUNTIME(cudaHostUnregister, (void *address), (address))
{
	return driver->cuMemHostUnregister(address);
}

RUNTIME(cudaHostGetDevicePointer, (void **address, void *host, unsigned flags),
	(address, host, flags))
{
	return driver->cuMemHostGetDevicePointer((CUdeviceptr *)address, host, flags);
}

RUNTIME(cudaMemGetInfo, (size_t * unused, size_t *total), (unused, total))
{
	return driver->cuMemGetInfo(unused, total);
}

struct pointer_attributes {
	int type, device;
	void *device_pointer, *host_pointer;
};

/* By the numbers of CUpointer_attribute: memory type, device pointer, is managed, ordinal. */
RUNTIME(cudaPointerGetAttributes, (struct pointer_attributes * attributes, const void *address),
	(attributes, address))
{
	int wanted[] = {2, 3, 8, 9}, type = 0, managed = 0, device = -2, result;
	CUdeviceptr place = 0;
	void *values[] = {&type, &place, &managed, &device};

	result = driver->cuPointerGetAttributes(4, wanted, values, ADDRESS(address));
	if (result != CUDA_SUCCESS)
		return result;
	attributes->type = managed ? 3 : type;
	attributes->device = device;
	attributes->device_pointer = (void *)(uintptr_t)place;
	attributes->host_pointer = type == 0 || type == 1 || managed ? (void *)address : NULL;
	return cudaSuccess;
}

/* Other processes */

RUNTIME(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void *address), (handle, address))
{
	return driver->cuIpcGetMemHandle((CUipcMemHandle *)handle, ADDRESS(address));
}

RUNTIME(cudaIpcOpenMemHandle, (void **address, cudaIpcMemHandle_t handle, unsigned flags),
	(address, handle, flags))
{
	CUipcMemHandle same;

	memcpy(&same, &handle, sizeof(same));
	return driver->cuIpcOpenMemHandle((CUdeviceptr *)address, same, flags);
}

RUNTIME(cudaIpcCloseMemHandle, (void *address), (address))
{
	return driver->cuIpcCloseMemHandle(ADDRESS(address));
}

RUNTIME(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event), (handle, event))
{
	return driver->cuIpcGetEventHandle((CUipcEventHandle *)handle, event);
}

RUNTIME(cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle), (event, handle))
{
	CUipcEventHandle same;

	memcpy(&same, &handle, sizeof(same));
	return driver->cuIpcOpenEventHandle(event, same);
}

/* Pools. The structures are the driver's. */

RUNTIME(cudaMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps *properties),
	(pool, properties))
{
	return driver->cuMemPoolCreate(pool, (const CUmemPoolProps *)properties);
}

RUNTIME(cudaMemPoolDestroy, (cudaMemPool_t pool), (pool))
{
	return driver->cuMemPoolDestroy(pool);
}

RUNTIME(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t bytes), (pool, bytes))
{
	return driver->cuMemPoolTrimTo(pool, bytes);
}

RUNTIME(cudaMemPoolSetAttribute, (cudaMemPool_t pool, int attribute, void *value),
	(pool, attribute, value))
{
	return driver->cuMemPoolSetAttribute(pool, attribute, value);
}

RUNTIME(cudaMemPoolGetAttribute, (cudaMemPool_t pool, int attribute, void *value),
	(pool, attribute, value))
{
	return driver->cuMemPoolGetAttribute(pool, attribute, value);
}

RUNTIME(cudaMemPoolSetAccess, (cudaMemPool_t pool, const CUmemAccessDesc *list, size_t count),
	(pool, list, count))
{
	return driver->cuMemPoolSetAccess(pool, list, count);
}

RUNTIME(cudaMemPoolGetAccess, (int *flags, cudaMemPool_t pool, CUmemLocation *location),
	(flags, pool, location))
{
	return driver->cuMemPoolGetAccess(flags, pool, location);
}

RUNTIME(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device), (pool, device))
{
	return driver->cuDeviceGetDefaultMemPool(pool, device);
}

RUNTIME(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device), (pool, device))
{
	return driver->cuDeviceGetMemPool(pool, device);
}

RUNTIME(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool), (device, pool))
{
	return driver->cuDeviceSetMemPool(device, pool);
}

RUNTIME(cudaMemPoolExportToShareableHandle,
	(void *shareable, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
	 unsigned flags),
	(shareable, pool, type, flags))
{
	return driver->cuMemPoolExportToShareableHandle(shareable, pool,
							(CUmemAllocationHandleType)type, flags);
}

RUNTIME(cudaMemPoolImportFromShareableHandle,
	(cudaMemPool_t * pool, void *shareable, enum cudaMemAllocationHandleType type,
	 unsigned flags),
	(pool, shareable, type, flags))
{
	return driver->cuMemPoolImportFromShareableHandle(pool, shareable,
							  (CUmemAllocationHandleType)type, flags);
}

RUNTIME(cudaMemPoolExportPointer, (struct cudaMemPoolPtrExportData * data, void *address),
	(data, address))
{
	return driver->cuMemPoolExportPointer((CUmemPoolPtrExportData *)data, ADDRESS(address));
}

RUNTIME(cudaMemPoolImportPointer,
	(void **address, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data),
	(address, pool, data))
{
	return driver->cuMemPoolImportPointer((CUdeviceptr *)address, pool,
					      (CUmemPoolPtrExportData *)data);
}
