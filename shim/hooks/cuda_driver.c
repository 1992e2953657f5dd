/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of the CUDA driver functions that need recording. The runtime also calls them, even when it
 * is linked statically; where its own hook has recorded the call, they record nothing (cuda.h).
 *
 * Calls that free something have no kind: destructors make them in children that do not use CUDA.
 */
#include "../cuda/cuda.h"
#include "../cuda/cuda_entry.h"
#include "../cuda/cuda_ipc.h"
#include "../cuda/registry.h"
#include "../intercept/sys.h"
#include "../record/stack.h"

/* Makes the real call; its value is the result. */
#define REALLY(...) (real ? real(__VA_ARGS__) : CUDA_ERROR_NOT_INITIALIZED)

EXPORT CUresult cuInit(unsigned flags)
{
	BEGIN(cuInit, MPSAN_CUDA_INIT);
	CUresult result = REALLY(flags);

	cuda_end(&call, result);
	if (!result)
		cuda_initialised(&call);
	return result;
}

EXPORT CUresult cuGetProcAddress(const char *symbol, void **f, int version, cuuint64_t flags)
{
	BEGIN(cuGetProcAddress, CUDA_NO_KIND);
	CUresult result = REALLY(symbol, f, version, flags);

	cuda_end(&call, result);
	if (!result)
		cuda_entry_found(f, call.caller);
	return result;
}

EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **f, int version, cuuint64_t flags,
				    CUdriverProcAddressQueryResult *status)
{
	BEGIN(cuGetProcAddress_v2, CUDA_NO_KIND);
	CUresult result = REALLY(symbol, f, version, flags, status);

	cuda_end(&call, result);
	if (!result)
		cuda_entry_found(f, call.caller);
	return result;
}

/* Contexts: the runtime creates one when it needs it, through these driver functions. */
#define CONTEXT(name, parameters, arguments)         \
	EXPORT CUresult name parameters              \
	{                                            \
		BEGIN(name, MPSAN_CUDA_USE);         \
		CUresult result = REALLY arguments;  \
                                                     \
		cuda_end(&call, result);             \
		if (!result)                         \
			cuda_context(&call, device); \
		return result;                       \
	}
/* clang-format off */
CONTEXT(cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device), (context, device))
CONTEXT(cuCtxCreate, (CUcontext *context, unsigned flags, CUdevice device), (context, flags, device))
CONTEXT(cuCtxCreate_v2, (CUcontext *context, unsigned flags, CUdevice device), (context, flags, device))
CONTEXT(cuCtxCreate_v3, (CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned flags, CUdevice device), (context, affinity, count, flags, device))
CONTEXT(cuCtxCreate_v4, (CUcontext *context, CUctxCreateParams *parameters, unsigned flags, CUdevice device), (context, parameters, flags, device))
/* clang-format on */

/* A context's memory ends with it. */
#define CONTEXT_END(name, parameter, argument, device, context, gone) \
	EXPORT CUresult name(parameter argument)                      \
	{                                                             \
		BEGIN(name, CUDA_NO_KIND);                            \
		CUresult result;                                      \
                                                                      \
		cuda_context_ending(&call, device, context);          \
		result = REALLY(argument);                            \
		if (cuda_end(&call, result))                          \
			cuda_context_ended(&call, !result && (gone)); \
		return result;                                        \
	}

/*
 * Whether the primary context is inactive: the last release destroys it. The runtime releases its
 * own at exit, which is recorded anyway.
 */
static bool is_inactive(CUdevice device, uint64_t caller)
{
	__typeof__(&cuDevicePrimaryCtxGetState) ask = CUDA_REAL(cuDevicePrimaryCtxGetState, caller);
	unsigned flags;
	int active;

	return !stack_is_exiting() && !cuda_entry_is_runtime(caller) && ask &&
	       ask(device, &flags, &active) == CUDA_SUCCESS && !active;
}

CONTEXT_END(cuDevicePrimaryCtxReset, CUdevice, device, device, NULL, true)
CONTEXT_END(cuDevicePrimaryCtxReset_v2, CUdevice, device, device, NULL, true)
CONTEXT_END(cuDevicePrimaryCtxRelease, CUdevice, device, device, NULL,
	    is_inactive(device, call.caller))
CONTEXT_END(cuDevicePrimaryCtxRelease_v2, CUdevice, device, device, NULL,
	    is_inactive(device, call.caller))
CONTEXT_END(cuCtxDestroy, CUcontext, context, -1, context, true)
CONTEXT_END(cuCtxDestroy_v2, CUcontext, context, -1, context, true)

#define ALLOCATION(name, kind, size, pool, parameters, arguments)                          \
	EXPORT CUresult name parameters                                                    \
	{                                                                                  \
		BEGIN(name, MPSAN_CUDA_USE);                                               \
		CUresult result = REALLY arguments;                                        \
                                                                                           \
		if (cuda_end(&call, result) && !result)                                    \
			cuda_made(&call, *address, size, kind, (uint64_t)(uintptr_t)pool); \
		return result;                                                             \
	}
/* clang-format off */
ALLOCATION(cuMemAlloc_v2, MPSAN_MEMORY_DEVICE, bytes, 0, (CUdeviceptr *address, size_t bytes), (address, bytes))
ALLOCATION(cuMemAllocPitch_v2, MPSAN_MEMORY_DEVICE, *pitch * height, 0, (CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element), (address, pitch, width, height, element))
ALLOCATION(cuMemAllocManaged, MPSAN_MEMORY_MANAGED, bytes, 0, (CUdeviceptr *address, size_t bytes, unsigned flags), (address, bytes, flags))
ALLOCATION(cuMemAllocAsync, MPSAN_MEMORY_POOL, bytes, 0, (CUdeviceptr *address, size_t bytes, CUstream stream), (address, bytes, stream))
ALLOCATION(cuMemAllocAsync_ptsz, MPSAN_MEMORY_POOL, bytes, 0, (CUdeviceptr *address, size_t bytes, CUstream stream), (address, bytes, stream))
ALLOCATION(cuMemAllocFromPoolAsync, MPSAN_MEMORY_POOL, bytes, pool, (CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream), (address, bytes, pool, stream))
ALLOCATION(cuMemAllocFromPoolAsync_ptsz, MPSAN_MEMORY_POOL, bytes, pool, (CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream), (address, bytes, pool, stream))
/* clang-format on */

/* Frees what starts at `key`. */
#define ENDING(name, space, key, parameters, arguments)                         \
	EXPORT CUresult name parameters                                         \
	{                                                                       \
		BEGIN(name, CUDA_NO_KIND);                                      \
		struct cuda_ending ending;                                      \
		CUresult result;                                                \
                                                                                \
		cuda_ending(&ending, &call, space, (uint64_t)(uintptr_t)(key)); \
		result = REALLY arguments;                                      \
		if (cuda_end(&call, result))                                    \
			cuda_ended(&ending, &call, result);                     \
		return result;                                                  \
	}
/* clang-format off */
ENDING(cuMemFree_v2, CUDA_ADDRESSES, address, (CUdeviceptr address), (address))
ENDING(cuMemFreeAsync, CUDA_ADDRESSES, address, (CUdeviceptr address, CUstream stream), (address, stream))
ENDING(cuMemFreeAsync_ptsz, CUDA_ADDRESSES, address, (CUdeviceptr address, CUstream stream), (address, stream))
ENDING(cuMemUnmap, CUDA_ADDRESSES, address, (CUdeviceptr address, size_t bytes), (address, bytes))
ENDING(cuMemPoolDestroy, CUDA_POOLS, pool, (CUmemoryPool pool), (pool))
ENDING(cuIpcCloseMemHandle, CUDA_ADDRESSES, address, (CUdeviceptr address), (address))
/* clang-format on */

EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
			    const CUmemAllocationProp *properties, unsigned long long flags)
{
	BEGIN(cuMemCreate, MPSAN_CUDA_USE);
	CUresult result = CUDA_ERROR_NOT_SUPPORTED;
	CUmemAllocationProp more;

	if (properties && registry_auto()) {
		more = *properties;
		more.requestedHandleTypes |= CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
		result = REALLY(handle, bytes, &more, flags);
	}
	if (result)
		result = REALLY(handle, bytes, properties, flags);
	if (cuda_end(&call, result) && !result)
		cuda_object_made(&call, CUDA_VMM_HANDLES, *handle, bytes, 0);
	return result;
}

EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	BEGIN(cuMemRelease, CUDA_NO_KIND);
	CUresult result = REALLY(handle);

	if (cuda_end(&call, result) && !result)
		cuda_released(&call, handle);
	return result;
}

EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
	BEGIN(cuMemRetainAllocationHandle, MPSAN_CUDA_USE);
	CUresult result = REALLY(handle, address);

	if (cuda_end(&call, result) && !result)
		cuda_retained(*handle);
	return result;
}

EXPORT CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
			 CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	BEGIN(cuMemMap, MPSAN_CUDA_USE);
	CUresult result = REALLY(address, bytes, offset, handle, flags);

	if (cuda_end(&call, result) && !result)
		cuda_mapped(&call, address, bytes, handle);
	return result;
}

EXPORT CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
					     CUmemAllocationHandleType type,
					     unsigned long long flags)
{
	BEGIN_TIMED(cuMemExportToShareableHandle);
	CUresult result = REALLY(shareable, handle, type, flags);

	if (cuda_end(&call, result))
		cuda_object_exported(&call, result, CUDA_VMM_HANDLES, handle,
				     result ? 0 : cuda_handle_given(shareable, type));
	return result;
}

EXPORT CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
					       void *shareable, CUmemAllocationHandleType type)
{
	BEGIN(cuMemImportFromShareableHandle, MPSAN_CUDA_USE);
	uint64_t identity = cuda_handle_taken(shareable, type);
	CUresult result = REALLY(handle, shareable, type);

	if (cuda_end(&call, result)) {
		if (!result)
			cuda_object_made(&call, CUDA_VMM_HANDLES, *handle, 0, identity);
		cuda_opened(&call, result, MPSAN_MEMORY_VMM, 0, identity);
	}
	return result;
}

EXPORT CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties)
{
	BEGIN(cuMemPoolCreate, MPSAN_CUDA_USE);
	CUresult result = CUDA_ERROR_NOT_SUPPORTED;
	CUmemPoolProps more;

	if (properties && registry_auto()) {
		more = *properties;
		more.handleTypes |= CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
		result = REALLY(pool, &more);
	}
	if (result)
		result = REALLY(pool, properties);
	if (cuda_end(&call, result) && !result)
		cuda_object_made(&call, CUDA_POOLS, (uint64_t)(uintptr_t)*pool, 0, 0);
	return result;
}

EXPORT CUresult cuMemPoolExportToShareableHandle(void *shareable, CUmemoryPool pool,
						 CUmemAllocationHandleType type,
						 unsigned long long flags)
{
	BEGIN_TIMED(cuMemPoolExportToShareableHandle);
	CUresult result = REALLY(shareable, pool, type, flags);

	if (cuda_end(&call, result))
		cuda_object_exported(&call, result, CUDA_POOLS, (uint64_t)(uintptr_t)pool,
				     result ? 0 : cuda_handle_given(shareable, type));
	return result;
}

EXPORT CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *shareable,
						   CUmemAllocationHandleType type,
						   unsigned long long flags)
{
	BEGIN(cuMemPoolImportFromShareableHandle, MPSAN_CUDA_USE);
	uint64_t identity = cuda_handle_taken(shareable, type);
	CUresult result = REALLY(pool, shareable, type, flags);

	if (cuda_end(&call, result)) {
		if (!result)
			cuda_object_made(&call, CUDA_POOLS, (uint64_t)(uintptr_t)*pool, 0,
					 identity);
		cuda_opened(&call, result, MPSAN_MEMORY_POOL, 0, identity);
	}
	return result;
}

EXPORT CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr address)
{
	BEGIN_TIMED(cuMemPoolExportPointer);
	CUresult result = REALLY(data, address);

	if (cuda_end(&call, result))
		cuda_exported(&call, result, MPSAN_MEMORY_POOL_POINTER, address,
			      result ? 0 : cuda_handle(data, sizeof(*data)), data);
	return result;
}

EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr *address, CUmemoryPool pool,
				       CUmemPoolPtrExportData *data)
{
	BEGIN(cuMemPoolImportPointer, MPSAN_CUDA_USE);
	uint64_t identity = data ? cuda_handle(data, sizeof(*data)) : 0;
	CUresult result = REALLY(address, pool, data);

	if (cuda_end(&call, result))
		cuda_opened(&call, result, MPSAN_MEMORY_POOL_POINTER, result ? 0 : *address,
			    identity);
	return result;
}

EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address)
{
	BEGIN_TIMED(cuIpcGetMemHandle);
	CUresult result = REALLY(handle, address);

	if (cuda_end(&call, result))
		cuda_exported(&call, result, MPSAN_MEMORY_DEVICE, address,
			      result ? 0 : cuda_handle(handle, sizeof(*handle)), handle);
	return result;
}

#define OPEN(name)                                                                             \
	EXPORT CUresult name(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags)      \
	{                                                                                      \
		BEGIN_TIMED(name);                                                             \
		CUresult result = REALLY(address, handle, flags);                              \
                                                                                               \
		if (cuda_end(&call, result))                                                   \
			cuda_opened(&call, result, MPSAN_MEMORY_DEVICE, result ? 0 : *address, \
				    cuda_handle(&handle, sizeof(handle)));                     \
		return result;                                                                 \
	}
OPEN(cuIpcOpenMemHandle)
OPEN(cuIpcOpenMemHandle_v2)

EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	BEGIN(cuIpcGetEventHandle, MPSAN_CUDA_USE);
	CUresult result = REALLY(handle, event);

	if (cuda_end(&call, result) && !result)
		cuda_event_exported(&call);
	return result;
}

EXPORT CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
	BEGIN(cuIpcOpenEventHandle, MPSAN_CUDA_USE);
	CUresult result = REALLY(event, handle);

	cuda_end(&call, result);
	return result;
}

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags)
{
	BEGIN(cuEventCreate, MPSAN_CUDA_USE);
	CUresult result = REALLY(event, flags);

	if (cuda_end(&call, result) && !result && flags & CU_EVENT_INTERPROCESS)
		cuda_event_made(&call);
	return result;
}
