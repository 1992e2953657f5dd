/*
 * How the runtime comes to its driver: at the first call that needs one it opens libcuda.so.1, asks it for cuGetProcAddress_v2,
 * and that for everything else; then cuInit, and the primary context of the device that the thread chose.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "runtime.h"

typedef CUresult (*look_up_fn)(const char *, void **, int, cuuint64_t,
			       CUdriverProcAddressQueryResult *);

struct calls runtime_calls, runtime_thread_calls;
int runtime_devices;

static look_up_fn look_up;
static bool ready;
static unsigned
	resets; /* how often cudaDeviceReset ended contexts: threads then need theirs anew */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __thread int device;
static __thread unsigned resets_seen;
static __thread cudaError_t last_error;

static void fill(struct calls *calls, cuuint64_t flags)
{
	CUdriverProcAddressQueryResult status;

#define CALL(name, version, ...)                                                            \
	if (look_up(#name, (void **)&calls->name, version, flags, &status) != CUDA_SUCCESS) \
		calls->name = NULL;
#include "calls.def"
#undef CALL
}

/* A driver without a name that is needed is too old. */
static bool is_whole(const struct calls *calls)
{
	bool whole = true;

#define CALL(name, version, ...) whole = whole && calls->name;
#include "calls.def"
#undef CALL
	return whole;
}

static int load(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	look_up = library ? (look_up_fn)dlsym(library, "cuGetProcAddress_v2") : NULL;
	if (!look_up)
		return cudaErrorInsufficientDriver;
	fill(&runtime_calls, 0);
	fill(&runtime_thread_calls, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
	if (!runtime_calls.cuInit)
		return cudaErrorInsufficientDriver;
	return CUDA_SUCCESS;
}

int runtime_start(void)
{
	int result = CUDA_SUCCESS;

	if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		return CUDA_SUCCESS;
	pthread_mutex_lock(&mutex);
	if (!look_up)
		result = load();
	if (result == CUDA_SUCCESS)
		result = runtime_calls.cuInit(0);
	if (result == CUDA_SUCCESS &&
	    !(is_whole(&runtime_calls) && is_whole(&runtime_thread_calls)))
		result = cudaErrorInsufficientDriver;
	if (result == CUDA_SUCCESS)
		result = runtime_calls.cuDeviceGetCount(&runtime_devices);
	__atomic_store_n(&ready, result == CUDA_SUCCESS, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&mutex);
	return result;
}

/* Makes the primary context of the thread's device current. */
static int bind_device(void)
{
	CUcontext context;
	int result = runtime_calls.cuDevicePrimaryCtxRetain(&context, device);

	if (result != CUDA_SUCCESS)
		return result;
	resets_seen = __atomic_load_n(&resets, __ATOMIC_ACQUIRE);
	return runtime_calls.cuCtxSetCurrent(context);
}

int runtime_context(void)
{
	CUcontext context = NULL;
	int result = runtime_start();

	if (result == CUDA_SUCCESS)
		result = runtime_calls.cuCtxGetCurrent(&context);
	if (result != CUDA_SUCCESS)
		return result;
	return context && resets_seen == __atomic_load_n(&resets, __ATOMIC_ACQUIRE) ? CUDA_SUCCESS :
										      bind_device();
}

int runtime_device(void)
{
	return device;
}

STARTED(cudaSetDevice, (int number), (number))
{
	int count, before = device, result = driver->cuDeviceGetCount(&count);

	if (result != CUDA_SUCCESS)
		return result;
	if (number < 0 || number >= count)
		return cudaErrorInvalidDevice;
	device = number;
	result = bind_device();
	if (result != CUDA_SUCCESS)
		device = before;
	return result;
}

STARTED(cudaGetDevice, (int *number), (number))
{
	*number = device;
	return driver->cuDeviceGetCount(&(int){0}); /* refused in a forked child */
}

STARTED(cudaInitDevice, (int number, unsigned device_flags, unsigned flags),
	(number, device_flags, flags))
{
	int before = device, result;

	(void)driver, (void)device_flags, (void)flags;
	device = number;
	result = bind_device();
	device = before;
	return result == CUDA_SUCCESS ? bind_device() : result;
}

static int reset(const struct calls *driver)
{
	int result = driver->cuDevicePrimaryCtxReset(device);

	if (result == CUDA_SUCCESS) {
		__atomic_add_fetch(&resets, 1, __ATOMIC_ACQ_REL);
		result = driver->cuCtxSetCurrent(NULL);
	}
	return result;
}

EXPORT cudaError_t cudaDeviceReset(void)
{
	int result = runtime_start();

	return runtime_done(result ? result : reset(&runtime_calls));
}

int runtime_unsupported(void)
{
	int result = runtime_context();

	return runtime_done(result ? result : (int)cudaErrorNotSupported);
}

/* Errors */

cudaError_t runtime_done(int result)
{
	if (result != CUDA_SUCCESS)
		last_error = (cudaError_t)result;
	return (cudaError_t)result;
}

cudaError_t cudaGetLastError(void);
EXPORT cudaError_t cudaGetLastError(void)
{
	cudaError_t error = last_error;

	last_error = cudaSuccess;
	return error;
}

cudaError_t cudaPeekAtLastError(void);
EXPORT cudaError_t cudaPeekAtLastError(void)
{
	return last_error;
}

/* Entry points of the driver */

static int entry_point(const char *name, void **f, unsigned version, unsigned long long flags,
		       enum cudaDriverEntryPointQueryResult *status)
{
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	int result = look_up(name, f, version, flags, &found);

	if (status)
		*status = (enum cudaDriverEntryPointQueryResult)found;
	return result;
}

#define ENTRY                                                  \
	(const char *name, void **f, unsigned long long flags, \
	 enum cudaDriverEntryPointQueryResult *status)
#define ENTRY_AT                                                                 \
	(const char *name, void **f, unsigned version, unsigned long long flags, \
	 enum cudaDriverEntryPointQueryResult *status)

/* Without a version it is the runtime's own; without a wish about streams, what the form of the call says. */
STARTED(cudaGetDriverEntryPoint, ENTRY, (name, f, flags, status))
{
	bool threads = driver == &runtime_thread_calls;

	return entry_point(name, f, FAKE_RUNTIME * 1000, !flags && threads ? 2 : flags, status);
}
TWIN(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint, ENTRY, (name, f, flags, status))

STARTED(cudaGetDriverEntryPointByVersion, ENTRY_AT, (name, f, version, flags, status))
{
	bool threads = driver == &runtime_thread_calls;

	return entry_point(name, f, version, !flags && threads ? 2 : flags, status);
}
TWIN(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion, ENTRY_AT,
     (name, f, version, flags, status))
