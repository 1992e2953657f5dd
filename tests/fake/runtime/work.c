/* Copies, fills, streams, events, launches. */
#include "runtime.h"

#define ADDRESS(pointer) ((CUdeviceptr)(uintptr_t)(pointer))

enum copy_kind { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

#define COPY (void *to, const void *from, size_t bytes, int kind)
#define COPY_ASYNC (void *to, const void *from, size_t bytes, int kind, cudaStream_t stream)

RUNTIME(cudaMemcpy, COPY, (to, from, bytes, kind))
{
	switch (kind) {
	case HOST_TO_DEVICE:
		return driver->cuMemcpyHtoD(ADDRESS(to), from, bytes);
	case DEVICE_TO_HOST:
		return driver->cuMemcpyDtoH(to, ADDRESS(from), bytes);
	case DEVICE_TO_DEVICE:
		return driver->cuMemcpyDtoD(ADDRESS(to), ADDRESS(from), bytes);
	case HOST_TO_HOST:
	case BY_ADDRESS:
		return driver->cuMemcpy(ADDRESS(to), ADDRESS(from), bytes);
	}
	return CUDA_ERROR_INVALID_VALUE;
}
TWIN(cudaMemcpy_ptds, cudaMemcpy, COPY, (to, from, bytes, kind))

RUNTIME(cudaMemcpyAsync, COPY_ASYNC, (to, from, bytes, kind, stream))
{
	switch (kind) {
	case HOST_TO_DEVICE:
		return driver->cuMemcpyHtoDAsync(ADDRESS(to), from, bytes, stream);
	case DEVICE_TO_HOST:
		return driver->cuMemcpyDtoHAsync(to, ADDRESS(from), bytes, stream);
	case DEVICE_TO_DEVICE:
		return driver->cuMemcpyDtoDAsync(ADDRESS(to), ADDRESS(from), bytes, stream);
	case HOST_TO_HOST:
	case BY_ADDRESS:
		return driver->cuMemcpyAsync(ADDRESS(to), ADDRESS(from), bytes, stream);
	}
	return CUDA_ERROR_INVALID_VALUE;
}
TWIN(cudaMemcpyAsync_ptsz, cudaMemcpyAsync, COPY_ASYNC, (to, from, bytes, kind, stream))

/* CUDA_MEMCPY2D; 4: which side is where is told by the address. */
struct rectangle {
	struct {
		size_t x, y;
		uint32_t type;
		const void *host;
		CUdeviceptr device;
		void *array;
		size_t pitch;
	} from, to;
	size_t width, height;
};

#define ROWS void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind

static struct rectangle rectangle_of(ROWS)
{
	struct rectangle copies = {.width = width, .height = height};

	(void)kind;
	copies.from.type = copies.to.type = 4;
	copies.from.device = ADDRESS(from);
	copies.from.pitch = from_pitch;
	copies.to.device = ADDRESS(to);
	copies.to.pitch = to_pitch;
	return copies;
}

RUNTIME(cudaMemcpy2D, (ROWS), (to, to_pitch, from, from_pitch, width, height, kind))
{
	struct rectangle copies = rectangle_of(to, to_pitch, from, from_pitch, width, height, kind);

	return driver->cuMemcpy2D(&copies);
}
TWIN(cudaMemcpy2D_ptds, cudaMemcpy2D, (ROWS), (to, to_pitch, from, from_pitch, width, height, kind))

RUNTIME(cudaMemcpy2DAsync, (ROWS, cudaStream_t stream), (to, to_pitch, from, from_pitch, width, height, kind, stream))
{
	struct rectangle copies = rectangle_of(to, to_pitch, from, from_pitch, width, height, kind);

	return driver->cuMemcpy2DAsync(&copies, stream);
}
TWIN(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync, (ROWS, cudaStream_t stream),
     (to, to_pitch, from, from_pitch, width, height, kind, stream))

#define PEERS void *to, int to_device, const void *from, int from_device, size_t bytes

/* Addresses say which device is meant. */
RUNTIME(cudaMemcpyPeer, (PEERS), (to, to_device, from, from_device, bytes))
{
	(void)to_device, (void)from_device;
	return driver->cuMemcpyPeer(ADDRESS(to), NULL, ADDRESS(from), NULL, bytes);
}

RUNTIME(cudaMemcpyPeerAsync, (PEERS, cudaStream_t stream), (to, to_device, from, from_device, bytes, stream))
{
	(void)to_device, (void)from_device;
	return driver->cuMemcpyPeerAsync(ADDRESS(to), NULL, ADDRESS(from), NULL, bytes, stream);
}

RUNTIME(cudaMemset, (void *to, int value, size_t bytes), (to, value, bytes))
{
	return driver->cuMemsetD8(ADDRESS(to), value, bytes);
}
TWIN(cudaMemset_ptds, cudaMemset, (void *to, int value, size_t bytes), (to, value, bytes))

RUNTIME(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream), (to, value, bytes, stream))
{
	return driver->cuMemsetD8Async(ADDRESS(to), value, bytes, stream);
}
TWIN(cudaMemsetAsync_ptsz, cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream),
     (to, value, bytes, stream))

#define FILL_ROWS void *to, size_t pitch, int value, size_t width, size_t height

RUNTIME(cudaMemset2D, (FILL_ROWS), (to, pitch, value, width, height))
{
	return driver->cuMemsetD2D8(ADDRESS(to), pitch, value, width, height);
}
TWIN(cudaMemset2D_ptds, cudaMemset2D, (FILL_ROWS), (to, pitch, value, width, height))

RUNTIME(cudaMemset2DAsync, (FILL_ROWS, cudaStream_t stream), (to, pitch, value, width, height, stream))
{
	return driver->cuMemsetD2D8Async(ADDRESS(to), pitch, value, width, height, stream);
}
TWIN(cudaMemset2DAsync_ptsz, cudaMemset2DAsync, (FILL_ROWS, cudaStream_t stream),
     (to, pitch, value, width, height, stream))

/* Streams */

RUNTIME(cudaStreamCreate, (cudaStream_t *stream), (stream))
{
	return driver->cuStreamCreate(stream, 0);
}

RUNTIME(cudaStreamCreateWithFlags, (cudaStream_t *stream, unsigned flags), (stream, flags))
{
	return driver->cuStreamCreate(stream, flags);
}

RUNTIME(cudaStreamCreateWithPriority, (cudaStream_t *stream, unsigned flags, int priority), (stream, flags, priority))
{
	return driver->cuStreamCreateWithPriority(stream, flags, priority);
}

RUNTIME(cudaStreamDestroy, (cudaStream_t stream), (stream))
{
	return driver->cuStreamDestroy(stream);
}

RUNTIME(cudaStreamSynchronize, (cudaStream_t stream), (stream))
{
	return driver->cuStreamSynchronize(stream);
}
TWIN(cudaStreamSynchronize_ptsz, cudaStreamSynchronize, (cudaStream_t stream), (stream))

RUNTIME(cudaStreamQuery, (cudaStream_t stream), (stream))
{
	return driver->cuStreamQuery(stream);
}
TWIN(cudaStreamQuery_ptsz, cudaStreamQuery, (cudaStream_t stream), (stream))

RUNTIME(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
{
	return driver->cuStreamWaitEvent(stream, event, flags);
}
TWIN(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
     (stream, event, flags))

RUNTIME(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), (stream, flags))
{
	return driver->cuStreamGetFlags(stream, flags);
}
TWIN(cudaStreamGetFlags_ptsz, cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), (stream, flags))

RUNTIME(cudaStreamGetPriority, (cudaStream_t stream, int *priority), (stream, priority))
{
	return driver->cuStreamGetPriority(stream, priority);
}
TWIN(cudaStreamGetPriority_ptsz, cudaStreamGetPriority, (cudaStream_t stream, int *priority), (stream, priority))

RUNTIME(cudaStreamIsCapturing, (cudaStream_t stream, int *status), (stream, status))
{
	return driver->cuStreamIsCapturing(stream, status);
}
TWIN(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing, (cudaStream_t stream, int *status), (stream, status))

#define HOST_CALL (cudaStream_t stream, void (*f)(void *), void *data)

RUNTIME(cudaLaunchHostFunc, HOST_CALL, (stream, f, data))
{
	return driver->cuLaunchHostFunc(stream, f, data);
}
TWIN(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc, HOST_CALL, (stream, f, data))

static int synchronize(const struct calls *driver)
{
	return driver->cuCtxSynchronize();
}

cudaError_t cudaDeviceSynchronize(void);
EXPORT cudaError_t cudaDeviceSynchronize(void)
{
	int result = runtime_context();

	return runtime_done(result ? result : synchronize(&runtime_calls));
}

/* Events */

RUNTIME(cudaEventCreate, (cudaEvent_t *event), (event))
{
	return driver->cuEventCreate(event, 0);
}

RUNTIME(cudaEventCreateWithFlags, (cudaEvent_t *event, unsigned flags), (event, flags))
{
	return driver->cuEventCreate(event, flags);
}

RUNTIME(cudaEventDestroy, (cudaEvent_t event), (event))
{
	return driver->cuEventDestroy(event);
}

RUNTIME(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
{
	return driver->cuEventRecord(event, stream);
}
TWIN(cudaEventRecord_ptsz, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))

RUNTIME(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), (event, stream, flags))
{
	return driver->cuEventRecordWithFlags(event, stream, flags);
}
TWIN(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
     (event, stream, flags))

RUNTIME(cudaEventQuery, (cudaEvent_t event), (event))
{
	return driver->cuEventQuery(event);
}

RUNTIME(cudaEventSynchronize, (cudaEvent_t event), (event))
{
	return driver->cuEventSynchronize(event);
}

RUNTIME(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end), (ms, start, end))
{
	return driver->cuEventElapsedTime(ms, start, end);
}

/* Launches. A kernel's address on the host stands for the function. */

struct dim3 {
	unsigned x, y, z;
};

#define LAUNCH (const void *f, struct dim3 grid, struct dim3 block, void **arguments, size_t shared, cudaStream_t stream)

RUNTIME(cudaLaunchKernel, LAUNCH, (f, grid, block, arguments, shared, stream))
{
	return driver->cuLaunchKernel((CUfunction)f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream,
				      arguments, NULL);
}
TWIN(cudaLaunchKernel_ptsz, cudaLaunchKernel, LAUNCH, (f, grid, block, arguments, shared, stream))

RUNTIME(cudaLaunchCooperativeKernel, LAUNCH, (f, grid, block, arguments, shared, stream))
{
	return driver->cuLaunchCooperativeKernel((CUfunction)f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
						 shared, stream, arguments);
}
TWIN(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel, LAUNCH, (f, grid, block, arguments, shared, stream))

struct runtime_launch {
	struct dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
};

struct driver_launch {
	struct dim3 grid, block;
	unsigned shared;
	CUstream stream;
	void *attributes;
	unsigned count;
};

RUNTIME(cudaLaunchKernelExC, (const struct runtime_launch *launch, const void *f, void **arguments),
	(launch, f, arguments))
{
	struct driver_launch same = {launch->grid, launch->block, launch->shared, launch->stream, NULL, 0};

	return driver->cuLaunchKernelEx(&same, (CUfunction)f, arguments, NULL);
}
TWIN(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC,
     (const struct runtime_launch *launch, const void *f, void **arguments), (launch, f, arguments))
