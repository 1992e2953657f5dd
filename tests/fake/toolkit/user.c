/*
 * A program of somebody who has the toolkit: uses the runtime and the driver through their own headers, so that the stand-ins'
 * structures are held against the real ones. Prints nothing; ends with the line of what was wrong.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                        \
	do {                                                               \
		if (!(what)) {                                             \
			fprintf(stderr, "line %d: %s\n", __LINE__, #what); \
			exit(1);                                           \
		}                                                          \
	} while (0)
#define OK(call) CHECK((int)(call) == 0)

static char host[4096], back[4096];

static void properties(void)
{
	struct cudaDeviceProp p;

	OK(cudaGetDeviceProperties(&p, 0));
	CHECK(strncmp(p.name, "mpsan fake GPU", 14) == 0);
	CHECK(p.totalGlobalMem == 16ull << 30 && p.warpSize == 32 && p.major == 8 && p.minor == 0);
	CHECK(p.maxThreadsPerBlock == 1024);
	CHECK(memcmp(&p.uuid, "mpsan fake GPU  ", 15) == 0);
}

static void pointers(void)
{
	struct cudaPointerAttributes a;
	void *device, *managed, *pinned;

	OK(cudaMalloc(&device, 64));
	OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
	OK(cudaMallocHost(&pinned, 64));
	OK(cudaPointerGetAttributes(&a, device));
	CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == device &&
	      !a.hostPointer);
	OK(cudaPointerGetAttributes(&a, managed));
	CHECK(a.type == cudaMemoryTypeManaged && a.hostPointer == managed);
	OK(cudaPointerGetAttributes(&a, pinned));
	CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == pinned);
	OK(cudaPointerGetAttributes(&a, host));
	CHECK(a.type == cudaMemoryTypeUnregistered);
	OK(cudaFree(device));
	OK(cudaFree(managed));
	OK(cudaFreeHost(pinned));
}

static void rectangles(void)
{
	size_t pitch;
	void *device;
	CUDA_MEMCPY2D copies = {.srcMemoryType = CU_MEMORYTYPE_HOST,
				.srcHost = host,
				.srcPitch = 10,
				.srcXInBytes = 1,
				.dstMemoryType = CU_MEMORYTYPE_DEVICE,
				.dstY = 1,
				.WidthInBytes = 3,
				.Height = 2};

	for (int i = 0; i < 100; i++)
		host[i] = i;
	OK(cudaMallocPitch(&device, &pitch, 100, 5));
	CHECK(pitch >= 100);
	OK(cudaMemcpy2D(device, pitch, host, 10, 10, 5, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2D(back, 10, device, pitch, 10, 5, cudaMemcpyDeviceToHost));
	CHECK(memcmp(host, back, 50) == 0);
	copies.dstDevice = (CUdeviceptr)device;
	copies.dstPitch = pitch;
	OK(cuMemcpy2D(&copies));
	OK(cudaMemcpy(back, (char *)device + 2 * pitch, 3, cudaMemcpyDeviceToHost));
	CHECK(back[0] == 11 && back[2] == 13);
	OK(cudaFree(device));
}

static void boxes(void)
{
	struct cudaExtent extent = {8, 3, 2};
	struct cudaPitchedPtr device;
	struct cudaMemcpy3DParms there = {.extent = extent, .kind = cudaMemcpyHostToDevice};
	struct cudaMemcpy3DParms home = {
		.extent = {4, 1, 1}, .kind = cudaMemcpyDeviceToHost, .srcPos = {2, 1, 1}};

	OK(cudaMalloc3D(&device, extent));
	OK(cudaMemset3D(device, 7, extent));
	there.srcPtr = (struct cudaPitchedPtr){host, 8, 8, 3};
	there.dstPtr = device;
	OK(cudaMemcpy3D(&there));
	home.srcPtr = device;
	home.dstPtr = (struct cudaPitchedPtr){back, 4, 4, 1};
	OK(cudaMemcpy3D(&home));
	CHECK(back[0] == (1 * 3 + 1) * 8 + 2 && back[3] == back[0] + 3);
	OK(cudaFree(device.ptr));
}

static void launches(void)
{
	cudaLaunchConfig_t config = {.gridDim = {2, 1, 1}, .blockDim = {32, 1, 1}};
	CUlaunchConfig driver = {1, 1, 1, 1, 1, 1, 0, NULL, NULL, 0};
	void *arguments[1] = {NULL};
	dim3 one = {1, 1, 1}, too_many = {2048, 1, 1};

	OK(cudaStreamCreate(&config.stream));
	OK(cudaLaunchKernelExC(&config, (const void *)launches, arguments));
	OK(cudaLaunchKernel((const void *)launches, one, one, arguments, 0, config.stream));
	CHECK(cudaLaunchKernel((const void *)launches, one, too_many, arguments, 0,
			       config.stream) == cudaErrorInvalidValue);
	CHECK(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
	driver.hStream = config.stream;
	OK(cuLaunchKernelEx(&driver, (CUfunction)launches, arguments, NULL));
	OK(cudaStreamDestroy(config.stream));
	CHECK(cudaLaunchKernelExC(&config, (const void *)launches, arguments) ==
	      cudaErrorInvalidResourceHandle);
}

static void pools(void)
{
	struct cudaMemPoolProps wish = {.allocType = cudaMemAllocationTypePinned,
					.handleTypes = cudaMemHandleTypePosixFileDescriptor,
					.location = {cudaMemLocationTypeDevice, 0}};
	struct cudaMemPoolPtrExportData data;
	cudaMemPool_t pool;
	size_t used;
	void *device;
	int fd = -1;

	OK(cudaMemPoolCreate(&pool, &wish));
	OK(cudaMallocFromPoolAsync(&device, 64, pool, 0));
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	CHECK(used == 64);
	OK(cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
	OK(cudaMemPoolExportPointer(&data, device));
	CHECK(fd >= 0);
	OK(cudaFreeAsync(device, 0));
	OK(cudaMemPoolDestroy(pool));
}

static void addresses(void)
{
	CUmemAllocationProp wish = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
				    .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
				  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr address;
	size_t bytes;

	OK(cuMemGetAllocationGranularity(&bytes, &wish, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	OK(cuMemCreate(&handle, bytes, &wish, 0));
	OK(cuMemAddressReserve(&address, bytes, 0, 0, 0));
	OK(cuMemMap(address, bytes, 0, handle, 0));
	OK(cuMemSetAccess(address, bytes, &access, 1));
	OK(cuMemsetD8(address, 9, bytes));
	OK(cuMemcpyDtoH(back, address + bytes - 1, 1));
	CHECK(back[0] == 9);
	OK(cuMemUnmap(address, bytes));
	OK(cuMemRelease(handle));
	OK(cuMemAddressFree(address, bytes));
}

int main(void)
{
	int count;

	OK(cudaGetDeviceCount(&count));
	CHECK(count == 1);
	properties();
	pointers();
	rectangles();
	boxes();
	launches();
	pools();
	addresses();
	return 0;
}
