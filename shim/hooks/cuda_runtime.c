/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of the CUDA runtime functions that need recording, for programs that load it as a shared
 * library. The driver hooks that these calls reach then record nothing.
 */
#include "../cuda/cuda.h"
#include "../cuda/cuda_entry.h"
#include "../cuda/cuda_ipc.h"
#include "../intercept/sys.h"

#define REALLY(...) (real ? real(__VA_ARGS__) : cudaErrorInsufficientDriver)
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

#define ALLOCATION(name, kind, at, size, pool, parameters, arguments)             \
	EXPORT cudaError_t name parameters                                        \
	{                                                                         \
		BEGIN(name, MPSAN_CUDA_USE);                                      \
		cudaError_t result = REALLY arguments;                            \
                                                                                  \
		if (cuda_end(&call, (int)result) && !result)                      \
			cuda_made(&call, ADDRESS(at), size, kind, ADDRESS(pool)); \
		return result;                                                    \
	}
/* clang-format off */
ALLOCATION(cudaMalloc, MPSAN_MEMORY_DEVICE, *address, bytes, 0, (void **address, size_t bytes), (address, bytes))
ALLOCATION(cudaMallocManaged, MPSAN_MEMORY_MANAGED, *address, bytes, 0, (void **address, size_t bytes, unsigned flags), (address, bytes, flags))
ALLOCATION(cudaMallocAsync, MPSAN_MEMORY_POOL, *address, bytes, 0, (void **address, size_t bytes, cudaStream_t stream), (address, bytes, stream))
ALLOCATION(cudaMallocAsync_ptsz, MPSAN_MEMORY_POOL, *address, bytes, 0, (void **address, size_t bytes, cudaStream_t stream), (address, bytes, stream))
ALLOCATION(cudaMallocFromPoolAsync, MPSAN_MEMORY_POOL, *address, bytes, pool, (void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream), (address, bytes, pool, stream))
ALLOCATION(cudaMallocFromPoolAsync_ptsz, MPSAN_MEMORY_POOL, *address, bytes, pool, (void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream), (address, bytes, pool, stream))
ALLOCATION(cudaMallocPitch, MPSAN_MEMORY_DEVICE, *address, *pitch * height, 0, (void **address, size_t *pitch, size_t width, size_t height), (address, pitch, width, height))
ALLOCATION(cudaMalloc3D, MPSAN_MEMORY_DEVICE, to->ptr, to->pitch * extent.height * extent.depth, 0, (struct cudaPitchedPtr *to, struct cudaExtent extent), (to, extent))
/* clang-format on */

/* Frees what starts at `key`. Programs call cudaFree(NULL) to initialise the runtime. */
#define ENDING(name, kind, space, key, parameters, arguments)     \
	EXPORT cudaError_t name parameters                        \
	{                                                         \
		BEGIN(name, kind);                                \
		struct cuda_ending ending;                        \
		cudaError_t result;                               \
                                                                  \
		cuda_ending(&ending, &call, space, ADDRESS(key)); \
		result = REALLY arguments;                        \
		if (cuda_end(&call, (int)result))                 \
			cuda_ended(&ending, &call, (int)result);  \
		return result;                                    \
	}
#define FREE_KIND(address) ((address) ? CUDA_NO_KIND : MPSAN_CUDA_USE)
/* clang-format off */
ENDING(cudaFree, FREE_KIND(address), CUDA_ADDRESSES, address, (void *address), (address))
ENDING(cudaFreeAsync, CUDA_NO_KIND, CUDA_ADDRESSES, address, (void *address, cudaStream_t stream), (address, stream))
ENDING(cudaFreeAsync_ptsz, CUDA_NO_KIND, CUDA_ADDRESSES, address, (void *address, cudaStream_t stream), (address, stream))
ENDING(cudaMemPoolDestroy, CUDA_NO_KIND, CUDA_POOLS, pool, (cudaMemPool_t pool), (pool))
ENDING(cudaIpcCloseMemHandle, CUDA_NO_KIND, CUDA_ADDRESSES, address, (void *address), (address))
/* clang-format on */

EXPORT cudaError_t cudaDeviceReset(void)
{
	BEGIN(cudaDeviceReset, CUDA_NO_KIND);
	cudaError_t result;

	cuda_context_ending(&call, cuda_current_device(call.caller), NULL);
	result = REALLY();
	if (cuda_end(&call, (int)result))
		cuda_context_ended(&call, !result);
	return result;
}

EXPORT cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
	BEGIN(cudaMemPoolCreate, MPSAN_CUDA_USE);
	cudaError_t result = REALLY(pool, properties);

	if (cuda_end(&call, (int)result) && !result)
		cuda_object_made(&call, CUDA_POOLS, ADDRESS(*pool), 0, 0);
	return result;
}

EXPORT cudaError_t cudaMemPoolExportToShareableHandle(void *shareable, cudaMemPool_t pool,
						      enum cudaMemAllocationHandleType type,
						      unsigned flags)
{
	BEGIN_TIMED(cudaMemPoolExportToShareableHandle);
	cudaError_t result = REALLY(shareable, pool, type, flags);

	if (cuda_end(&call, (int)result))
		cuda_object_exported(
			&call, (int)result, CUDA_POOLS, ADDRESS(pool),
			result ? 0 : cuda_handle_given(shareable, (CUmemAllocationHandleType)type));
	return result;
}

EXPORT cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *shareable,
							enum cudaMemAllocationHandleType type,
							unsigned flags)
{
	BEGIN(cudaMemPoolImportFromShareableHandle, MPSAN_CUDA_USE);
	uint64_t identity = cuda_handle_taken(shareable, (CUmemAllocationHandleType)type);
	cudaError_t result = REALLY(pool, shareable, type, flags);

	if (cuda_end(&call, (int)result)) {
		if (!result)
			cuda_object_made(&call, CUDA_POOLS, ADDRESS(*pool), 0, identity);
		cuda_opened(&call, (int)result, MPSAN_MEMORY_POOL, 0, identity);
	}
	return result;
}

EXPORT cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *address)
{
	BEGIN_TIMED(cudaMemPoolExportPointer);
	cudaError_t result = REALLY(data, address);

	if (cuda_end(&call, (int)result))
		cuda_exported(&call, (int)result, MPSAN_MEMORY_POOL_POINTER, ADDRESS(address),
			      result ? 0 : cuda_handle(data, sizeof(*data)), data);
	return result;
}

EXPORT cudaError_t cudaMemPoolImportPointer(void **address, cudaMemPool_t pool,
					    struct cudaMemPoolPtrExportData *data)
{
	BEGIN(cudaMemPoolImportPointer, MPSAN_CUDA_USE);
	uint64_t identity = data ? cuda_handle(data, sizeof(*data)) : 0;
	cudaError_t result = REALLY(address, pool, data);

	if (cuda_end(&call, (int)result))
		cuda_opened(&call, (int)result, MPSAN_MEMORY_POOL_POINTER,
			    result ? 0 : ADDRESS(*address), identity);
	return result;
}

EXPORT cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *address)
{
	BEGIN_TIMED(cudaIpcGetMemHandle);
	cudaError_t result = REALLY(handle, address);

	if (cuda_end(&call, (int)result))
		cuda_exported(&call, (int)result, MPSAN_MEMORY_DEVICE, ADDRESS(address),
			      result ? 0 : cuda_handle(handle, sizeof(*handle)), handle);
	return result;
}

EXPORT cudaError_t cudaIpcOpenMemHandle(void **address, cudaIpcMemHandle_t handle, unsigned flags)
{
	BEGIN_TIMED(cudaIpcOpenMemHandle);
	cudaError_t result = REALLY(address, handle, flags);

	if (cuda_end(&call, (int)result))
		cuda_opened(&call, (int)result, MPSAN_MEMORY_DEVICE, result ? 0 : ADDRESS(*address),
			    cuda_handle(&handle, sizeof(handle)));
	return result;
}

EXPORT cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
	BEGIN(cudaIpcGetEventHandle, MPSAN_CUDA_USE);
	cudaError_t result = REALLY(handle, event);

	if (cuda_end(&call, (int)result) && !result)
		cuda_event_exported(&call);
	return result;
}

EXPORT cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
	BEGIN(cudaIpcOpenEventHandle, MPSAN_CUDA_USE);
	cudaError_t result = REALLY(event, handle);

	cuda_end(&call, (int)result);
	return result;
}

EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
	BEGIN(cudaEventCreateWithFlags, MPSAN_CUDA_USE);
	cudaError_t result = REALLY(event, flags);

	if (cuda_end(&call, (int)result) && !result && flags & CU_EVENT_INTERPROCESS)
		cuda_event_made(&call);
	return result;
}

#define ENTRY_POINT(name, parameters, arguments)          \
	EXPORT cudaError_t name parameters                \
	{                                                 \
		BEGIN(name, CUDA_NO_KIND);                \
		cudaError_t result = REALLY arguments;    \
                                                          \
		cuda_end(&call, (int)result);             \
		if (!result)                              \
			cuda_entry_found(f, call.caller); \
		return result;                            \
	}
/* clang-format off */
ENTRY_POINT(cudaGetDriverEntryPoint, (const char *symbol, void **f, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status), (symbol, f, flags, status))
ENTRY_POINT(cudaGetDriverEntryPoint_ptsz, (const char *symbol, void **f, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status), (symbol, f, flags, status))
ENTRY_POINT(cudaGetDriverEntryPointByVersion, (const char *symbol, void **f, unsigned version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status), (symbol, f, version, flags, status))
ENTRY_POINT(cudaGetDriverEntryPointByVersion_ptsz, (const char *symbol, void **f, unsigned version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status), (symbol, f, version, flags, status))
/* clang-format on */
