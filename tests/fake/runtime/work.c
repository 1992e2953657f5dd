/* Streams, events, launches. */
#include "runtime.h"

/* Streams */

RUNTIME(cudaStreamCreate, (cudaStream_t * stream), (stream))
{
	return driver->cuStreamCreate(stream, 0);
}

RUNTIME(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
{
	return driver->cuStreamCreate(stream, flags);
}

RUNTIME(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
	(stream, flags, priority))
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

RUNTIME(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
	(stream, event, flags))
{
	return driver->cuStreamWaitEvent(stream, event, flags);
}
TWIN(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent,
     (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))

RUNTIME(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), (stream, flags))
{
	return driver->cuStreamGetFlags(stream, flags);
}
TWIN(cudaStreamGetFlags_ptsz, cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags),
     (stream, flags))

RUNTIME(cudaStreamGetPriority, (cudaStream_t stream, int *priority), (stream, priority))
{
	return driver->cuStreamGetPriority(stream, priority);
}
TWIN(cudaStreamGetPriority_ptsz, cudaStreamGetPriority, (cudaStream_t stream, int *priority),
     (stream, priority))

RUNTIME(cudaStreamIsCapturing, (cudaStream_t stream, int *status), (stream, status))
{
	return driver->cuStreamIsCapturing(stream, status);
}
TWIN(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing, (cudaStream_t stream, int *status),
     (stream, status))

#define HOST_CALL (cudaStream_t stream, void (*f)(void *), void *data)

RUNTIME(cudaLaunchHostFunc, HOST_CALL, (stream, f, data))
{
	return driver->cuLaunchHostFunc(stream, f, data);
}
TWIN(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc, HOST_CALL, (stream, f, data))

#define CALLBACK                                                                        \
	(cudaStream_t stream, void (*f)(cudaStream_t, cudaError_t, void *), void *data, \
	 unsigned flags)

/* The work before it is done, so it is called at once. */
RUNTIME(cudaStreamAddCallback, CALLBACK, (stream, f, data, flags))
{
	int result = driver->cuStreamQuery(stream);

	if (result == CUDA_SUCCESS && !flags)
		f(stream, cudaSuccess, data);
	return flags ? (int)CUDA_ERROR_INVALID_VALUE : result;
}
TWIN(cudaStreamAddCallback_ptsz, cudaStreamAddCallback, CALLBACK, (stream, f, data, flags))

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

RUNTIME(cudaEventCreate, (cudaEvent_t * event), (event))
{
	return driver->cuEventCreate(event, 0);
}

RUNTIME(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
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
TWIN(cudaEventRecord_ptsz, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream),
     (event, stream))

RUNTIME(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
	(event, stream, flags))
{
	return driver->cuEventRecordWithFlags(event, stream, flags);
}
TWIN(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags,
     (cudaEvent_t event, cudaStream_t stream, unsigned flags), (event, stream, flags))

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

#define LAUNCH                                                                                \
	(const void *f, struct dim3 grid, struct dim3 block, void **arguments, size_t shared, \
	 cudaStream_t stream)

RUNTIME(cudaLaunchKernel, LAUNCH, (f, grid, block, arguments, shared, stream))
{
	return driver->cuLaunchKernel((CUfunction)f, grid.x, grid.y, grid.z, block.x, block.y,
				      block.z, shared, stream, arguments, NULL);
}
TWIN(cudaLaunchKernel_ptsz, cudaLaunchKernel, LAUNCH, (f, grid, block, arguments, shared, stream))
#if FAKE_RUNTIME >= 13
FORM(__cudaLaunchKernel, cudaLaunchKernel, LAUNCH, (f, grid, block, arguments, shared, stream),
     &runtime_calls, runtime_context())
TWIN(__cudaLaunchKernel_ptsz, cudaLaunchKernel, LAUNCH, (f, grid, block, arguments, shared, stream))
#endif

RUNTIME(cudaLaunchCooperativeKernel, LAUNCH, (f, grid, block, arguments, shared, stream))
{
	return driver->cuLaunchCooperativeKernel((CUfunction)f, grid.x, grid.y, grid.z, block.x,
						 block.y, block.z, shared, stream, arguments);
}
TWIN(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel, LAUNCH,
     (f, grid, block, arguments, shared, stream))

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
	struct driver_launch same = {launch->grid,   launch->block, launch->shared,
				     launch->stream, NULL,	    0};

	return driver->cuLaunchKernelEx(&same, (CUfunction)f, arguments, NULL);
}
TWIN(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC,
     (const struct runtime_launch *launch, const void *f, void **arguments), (launch, f, arguments))
