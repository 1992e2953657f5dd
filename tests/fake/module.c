/* Modules and what is in them: anything is accepted, and nothing is behind it. Access between devices. */
#include <string.h>

#include "fake.h"

static char anything;

static CUresult give(void *to)
{
	if (!to)
		return CUDA_ERROR_INVALID_VALUE;
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	*(void **)to = &anything;
	return CUDA_SUCCESS;
}

CALL(cuModuleLoad, (CUmodule * module, const char *path), (module, path))
{
	return path ? give(module) : CUDA_ERROR_INVALID_VALUE;
}

CALL(cuModuleLoadData, (CUmodule * module, const void *image), (module, image))
{
	return image ? give(module) : CUDA_ERROR_INVALID_VALUE;
}

CALL(cuModuleLoadDataEx,
     (CUmodule * module, const void *image, unsigned count, int *options, void **values),
     (module, image, count, options, values))
{
	(void)count, (void)options, (void)values;
	return image ? give(module) : CUDA_ERROR_INVALID_VALUE;
}

CALL(cuModuleGetFunction, (CUfunction * f, CUmodule module, const char *name), (f, module, name))
{
	return module && name ? give(f) : CUDA_ERROR_INVALID_HANDLE;
}

CALL(cuModuleUnload, (CUmodule module), (module))
{
	return module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Modules are loaded lazily, as they are without CUDA_MODULE_LOADING. */
CALL(cuModuleGetLoadingMode, (int *mode), (mode))
{
	*mode = 2;
	return CUDA_SUCCESS;
}

CALL(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags), (peer, flags))
{
	CUcontext context = context_now();

	if (!context || !peer)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_peers(context->device, peer->device))
		return context->device == peer->device ? CUDA_ERROR_INVALID_DEVICE :
							 CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	if (__atomic_fetch_or(&context->peers, 1u << peer->device, __ATOMIC_RELAXED) &
	    1u << peer->device)
		return FAKE_PEER_ACCESS_ENABLED;
	return CUDA_SUCCESS;
}

CALL(cuCtxDisablePeerAccess, (CUcontext peer), (peer))
{
	CUcontext context = context_now();

	if (!context || !peer)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!(__atomic_fetch_and(&context->peers, ~(1u << peer->device), __ATOMIC_RELAXED) &
	      1u << peer->device))
		return FAKE_PEER_ACCESS_OFF;
	return CUDA_SUCCESS;
}
