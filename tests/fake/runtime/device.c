/* Devices as the runtime shows them. */
#include <stdio.h>
#include <string.h>

#include "runtime.h"

STARTED(cudaGetDeviceCount, (int *count), (count))
{
	(void)driver;
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = runtime_devices;
	return CUDA_SUCCESS;
}

/* What the structure begins with in the versions that this library stands for. */
struct properties {
	char name[256];
	CUuuid uuid;
	char luid[8];
	unsigned luid_mask;
	size_t global_bytes, shared_bytes;
	int registers, warp;
	size_t pitch;
	int block_threads, block[3], grid[3];
#if FAKE_RUNTIME < 13
	int clock;
#endif
	size_t constant_bytes;
	int major, minor;
};

static int read_properties(const struct calls *driver, struct properties *properties, int device)
{
	int result;

	memset(properties, 0, sizeof(*properties));
	result = driver->cuDeviceGetName(properties->name, sizeof(properties->name), device);
	if (result != CUDA_SUCCESS)
		return result;
	driver->cuDeviceGetUuid(&properties->uuid, device);
	driver->cuDeviceTotalMem(&properties->global_bytes, device);
	driver->cuDeviceGetAttribute(&properties->block_threads, 1, device);
	driver->cuDeviceGetAttribute(&properties->warp, 10, device);
	driver->cuDeviceGetAttribute(&properties->major, 75, device);
	driver->cuDeviceGetAttribute(&properties->minor, 76, device);
	return CUDA_SUCCESS;
}

STARTED(cudaGetDeviceProperties, (struct properties * properties, int device), (properties, device))
{
	return read_properties(driver, properties, device);
}
#if FAKE_RUNTIME < 13
STARTED(cudaGetDeviceProperties_v2, (struct properties * properties, int device),
	(properties, device))
{
	return read_properties(driver, properties, device);
}
#endif

STARTED(cudaDeviceGetAttribute, (int *value, int attribute, int device), (value, attribute, device))
{
	return driver->cuDeviceGetAttribute(value, attribute, device);
}

STARTED(cudaDeviceGetPCIBusId, (char *id, int length, int device), (id, length, device))
{
	return driver->cuDeviceGetPCIBusId(id, length, device);
}

STARTED(cudaDeviceCanAccessPeer, (int *can, int device, int peer), (can, device, peer))
{
	return driver->cuDeviceCanAccessPeer(can, device, peer);
}

static int peer_context(const struct calls *driver, int peer, CUcontext *context)
{
	return driver->cuDevicePrimaryCtxRetain(context, peer);
}

RUNTIME(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags))
{
	CUcontext context;
	int result = peer_context(driver, peer, &context);

	return result == CUDA_SUCCESS ? (int)driver->cuCtxEnablePeerAccess(context, flags) : result;
}

RUNTIME(cudaDeviceDisablePeerAccess, (int peer), (peer))
{
	CUcontext context;
	int result = peer_context(driver, peer, &context);

	return result == CUDA_SUCCESS ? (int)driver->cuCtxDisablePeerAccess(context) : result;
}

RUNTIME(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), (least, greatest))
{
	return driver->cuCtxGetStreamPriorityRange(least, greatest);
}

STARTED(cudaSetDeviceFlags, (unsigned flags), (flags))
{
	return driver->cuDevicePrimaryCtxSetFlags(runtime_device(), flags);
}

STARTED(cudaGetDeviceFlags, (unsigned *flags), (flags))
{
	int active;

	return driver->cuDevicePrimaryCtxGetState(runtime_device(), flags, &active);
}

cudaError_t cudaRuntimeGetVersion(int *version);
EXPORT cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = FAKE_RUNTIME * 1000;
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version);
EXPORT cudaError_t cudaDriverGetVersion(int *version)
{
	*version = 0; /* what is answered where there is no driver */
	runtime_start();
	return runtime_calls.cuDriverGetVersion ?
		       (cudaError_t)runtime_calls.cuDriverGetVersion(version) :
		       cudaSuccess;
}

/* Names of errors, with and without a driver. */

static const struct {
	int number;
	const char *name, *text;
} errors[] = {
	{0, "cudaSuccess", "no error"},
	{1, "cudaErrorInvalidValue", "invalid argument"},
	{2, "cudaErrorMemoryAllocation", "out of memory"},
	{3, "cudaErrorInitializationError", "initialization error"},
	{34, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
	{35, "cudaErrorInsufficientDriver",
	 "CUDA driver version is insufficient for CUDA runtime version"},
	{100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
	{101, "cudaErrorInvalidDevice", "invalid device ordinal"},
	{201, "cudaErrorDeviceUninitialized", "invalid device context"},
	{205, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"},
	{208, "cudaErrorAlreadyMapped", "resource already mapped"},
	{217, "cudaErrorPeerAccessUnsupported",
	 "peer access is not supported between these two devices"},
	{400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
	{500, "cudaErrorSymbolNotFound", "named symbol not found"},
	{600, "cudaErrorNotReady", "device not ready"},
	{704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
	{705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
	{712, "cudaErrorHostMemoryAlreadyRegistered",
	 "part or all of the requested memory range is already mapped"},
	{713, "cudaErrorHostMemoryNotRegistered",
	 "pointer does not correspond to a registered memory region"},
	{801, "cudaErrorNotSupported", "operation not supported"},
	{999, "cudaErrorUnknown", "unknown error"},
};

static int error_at(cudaError_t error)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].number == (int)error)
			return (int)i;
	return -1;
}

const char *cudaGetErrorName(cudaError_t error);
EXPORT const char *cudaGetErrorName(cudaError_t error)
{
	int at = error_at(error);

	return at < 0 ? "unrecognized error code" : errors[at].name;
}

const char *cudaGetErrorString(cudaError_t error);
EXPORT const char *cudaGetErrorString(cudaError_t error)
{
	int at = error_at(error);

	runtime_start(); /* as the real one does, whatever comes of it */
	return at < 0 ? "unrecognized error code" : errors[at].text;
}
