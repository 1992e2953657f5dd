/*
 * Contexts: each thread has a stack of them. A context that ended stays in memory, marked as such, since somebody may still
 * have it on a stack.
 */
#include <stdlib.h>

#include "fake.h"

#define CONTEXT_ALIVE 0x747865746e6f6300ull
#define STACK_DEPTH 32

static uint64_t context_ids;
static __thread CUcontext stack[STACK_DEPTH];
static __thread int depth;

static bool context_alive(CUcontext context)
{
	return context && __atomic_load_n(&context->alive, __ATOMIC_ACQUIRE) == CONTEXT_ALIVE;
}

CUcontext context_now(void)
{
	CUcontext context = depth ? stack[depth - 1] : NULL;

	return context_alive(context) ? context : NULL;
}

static CUresult make_context(CUcontext *context, unsigned flags, CUdevice device)
{
	CUcontext made;

	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (depth == STACK_DEPTH)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made = calloc(1, sizeof(*made));
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	fake_lock();
	*made = (struct CUctx_st){CONTEXT_ALIVE, device, flags, .id = ++context_ids};
	fake_unlock();
	threads_start();
	stack[depth++] = *context = made;
	return CUDA_SUCCESS;
}

CALL(cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device),
     (context, flags, device))
{
	return make_context(context, flags, device);
}
ALSO(cuCtxCreate, cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device),
     (context, flags, device))

CALL(cuCtxCreate_v3,
     (CUcontext * context, CUexecAffinityParam *affinity, int count, unsigned flags,
      CUdevice device),
     (context, affinity, count, flags, device))
{
	return affinity || count ? CUDA_ERROR_NOT_SUPPORTED : make_context(context, flags, device);
}

CALL(cuCtxCreate_v4,
     (CUcontext * context, CUctxCreateParams *parameters, unsigned flags, CUdevice device),
     (context, parameters, flags, device))
{
	(void)parameters;
	return make_context(context, flags, device);
}

/* What was made in a context ends with it. */
static void end_context(CUcontext context)
{
	__atomic_store_n(&context->alive, 0, __ATOMIC_RELEASE);
	memory_forget(context);
	mapping_forget(context);
}

CALL(cuCtxDestroy_v2, (CUcontext context), (context))
{
	if (!context_alive(context) || context->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth && stack[depth - 1] == context)
		depth--;
	fake_lock();
	end_context(context);
	fake_unlock();
	return CUDA_SUCCESS;
}
ALSO(cuCtxDestroy, cuCtxDestroy_v2, (CUcontext context), (context))

CALL(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), (context, device))
{
	CUcontext primary;

	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	primary = device_primary(device);
	fake_lock();
	if (!context_alive(primary)) {
		primary->id = ++context_ids;
		__atomic_store_n(&primary->alive, CONTEXT_ALIVE, __ATOMIC_RELEASE);
	}
	primary->retained++;
	fake_unlock();
	threads_start();
	*context = primary;
	return CUDA_SUCCESS;
}

CALL(cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))
{
	CUcontext primary;
	CUresult result = CUDA_SUCCESS;

	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	primary = device_primary(device);
	fake_lock();
	if (!primary->retained)
		result = CUDA_ERROR_INVALID_CONTEXT;
	else if (--primary->retained == 0)
		end_context(primary);
	fake_unlock();
	return result;
}
ALSO(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))

/* Ends what the context holds; those who retained it keep it, and its next use begins anew. */
CALL(cuDevicePrimaryCtxReset_v2, (CUdevice device), (device))
{
	CUcontext primary;

	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	primary = device_primary(device);
	fake_lock();
	end_context(primary);
	primary->retained = 0;
	fake_unlock();
	return CUDA_SUCCESS;
}
ALSO(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (CUdevice device), (device))

CALL(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active),
     (device, flags, active))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = device_primary(device)->flags;
	*active = context_alive(device_primary(device));
	return CUDA_SUCCESS;
}

CALL(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags), (device, flags))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	device_primary(device)->flags = flags;
	return CUDA_SUCCESS;
}
ALSO(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags),
     (device, flags))

CALL(cuCtxSetCurrent, (CUcontext context), (context))
{
	if (context && !context_alive(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!context)
		depth -= depth > 0;
	else
		stack[depth ? depth - 1 : depth++] = context;
	return CUDA_SUCCESS;
}

CALL(cuCtxGetCurrent, (CUcontext * context), (context))
{
	if (!context)
		return CUDA_ERROR_INVALID_VALUE;
	*context = depth ? stack[depth - 1] : NULL;
	return CUDA_SUCCESS;
}

CALL(cuCtxPushCurrent_v2, (CUcontext context), (context))
{
	if (!context_alive(context) || depth == STACK_DEPTH)
		return CUDA_ERROR_INVALID_CONTEXT;
	stack[depth++] = context;
	return CUDA_SUCCESS;
}
ALSO(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext context), (context))

CALL(cuCtxPopCurrent_v2, (CUcontext * context), (context))
{
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth--;
	if (context)
		*context = stack[depth];
	return CUDA_SUCCESS;
}
ALSO(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext * context), (context))

CALL(cuCtxGetDevice, (CUdevice * device), (device))
{
	CUcontext context = context_now();

	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	*device = context->device;
	return CUDA_SUCCESS;
}

CALL(cuCtxGetDevice_v2, (CUdevice * device, CUcontext context), (device, context))
{
	if (!context)
		return do_cuCtxGetDevice(device);
	if (!context_alive(context))
		return CUDA_ERROR_INVALID_CONTEXT;
	*device = context->device;
	return CUDA_SUCCESS;
}
