/* Copies and fills. */
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

#define ROWS                                                                          \
	void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, \
		size_t height, int kind

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

RUNTIME(cudaMemcpy2DAsync, (ROWS, cudaStream_t stream),
	(to, to_pitch, from, from_pitch, width, height, kind, stream))
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

RUNTIME(cudaMemcpyPeerAsync, (PEERS, cudaStream_t stream),
	(to, to_device, from, from_device, bytes, stream))
{
	(void)to_device, (void)from_device;
	return driver->cuMemcpyPeerAsync(ADDRESS(to), NULL, ADDRESS(from), NULL, bytes, stream);
}

RUNTIME(cudaMemset, (void *to, int value, size_t bytes), (to, value, bytes))
{
	return driver->cuMemsetD8(ADDRESS(to), value, bytes);
}
TWIN(cudaMemset_ptds, cudaMemset, (void *to, int value, size_t bytes), (to, value, bytes))

RUNTIME(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream),
	(to, value, bytes, stream))
{
	return driver->cuMemsetD8Async(ADDRESS(to), value, bytes, stream);
}
TWIN(cudaMemsetAsync_ptsz, cudaMemsetAsync,
     (void *to, int value, size_t bytes, cudaStream_t stream), (to, value, bytes, stream))

#define FILL_ROWS void *to, size_t pitch, int value, size_t width, size_t height

RUNTIME(cudaMemset2D, (FILL_ROWS), (to, pitch, value, width, height))
{
	return driver->cuMemsetD2D8(ADDRESS(to), pitch, value, width, height);
}
TWIN(cudaMemset2D_ptds, cudaMemset2D, (FILL_ROWS), (to, pitch, value, width, height))

RUNTIME(cudaMemset2DAsync, (FILL_ROWS, cudaStream_t stream),
	(to, pitch, value, width, height, stream))
{
	return driver->cuMemsetD2D8Async(ADDRESS(to), pitch, value, width, height, stream);
}
TWIN(cudaMemset2DAsync_ptsz, cudaMemset2DAsync, (FILL_ROWS, cudaStream_t stream),
     (to, pitch, value, width, height, stream))

/* Boxes; arrays are not known here. */

struct parameters3 {
	void *from_array;
	size_t from[3];
	struct cudaPitchedPtr from_memory;
	void *to_array;
	size_t to[3];
	struct cudaPitchedPtr to_memory;
	struct cudaExtent extent;
	int kind;
};

/* CUDA_MEMCPY3D */
struct box {
	struct {
		size_t x, y, z, lod;
		uint32_t type;
		const void *host;
		CUdeviceptr device;
		void *array, *reserved;
		size_t pitch, height;
	} from, to;
	size_t width, height, depth;
};

static struct box box_of(const struct parameters3 *copies)
{
	struct box box = {.width = copies->extent.width,
			  .height = copies->extent.height,
			  .depth = copies->extent.depth};

	box.from.x = copies->from[0], box.from.y = copies->from[1], box.from.z = copies->from[2];
	box.to.x = copies->to[0], box.to.y = copies->to[1], box.to.z = copies->to[2];
	box.from.type = box.to.type = 4;
	box.from.array = copies->from_array;
	box.to.array = copies->to_array;
	box.from.device = ADDRESS(copies->from_memory.ptr);
	box.from.pitch = copies->from_memory.pitch;
	box.from.height = copies->from_memory.ysize;
	box.to.device = ADDRESS(copies->to_memory.ptr);
	box.to.pitch = copies->to_memory.pitch;
	box.to.height = copies->to_memory.ysize;
	return box;
}

RUNTIME(cudaMemcpy3D, (const struct parameters3 *copies), (copies))
{
	struct box box = box_of(copies);

	return driver->cuMemcpy3D(&box);
}
TWIN(cudaMemcpy3D_ptds, cudaMemcpy3D, (const struct parameters3 *copies), (copies))

RUNTIME(cudaMemcpy3DAsync, (const struct parameters3 *copies, cudaStream_t stream),
	(copies, stream))
{
	struct box box = box_of(copies);

	return driver->cuMemcpy3DAsync(&box, stream);
}
TWIN(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync,
     (const struct parameters3 *copies, cudaStream_t stream), (copies, stream))

RUNTIME(cudaMemset3D, (struct cudaPitchedPtr to, int value, struct cudaExtent extent),
	(to, value, extent))
{
	int result = CUDA_SUCCESS;

	for (size_t z = 0; z < extent.depth && result == CUDA_SUCCESS; z++)
		result = driver->cuMemsetD2D8(ADDRESS(to.ptr) + z * to.ysize * to.pitch, to.pitch,
					      value, extent.width, extent.height);
	return result;
}
TWIN(cudaMemset3D_ptds, cudaMemset3D,
     (struct cudaPitchedPtr to, int value, struct cudaExtent extent), (to, value, extent))

RUNTIME(cudaMemset3DAsync,
	(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream),
	(to, value, extent, stream))
{
	int result = CUDA_SUCCESS;

	for (size_t z = 0; z < extent.depth && result == CUDA_SUCCESS; z++)
		result = driver->cuMemsetD2D8Async(ADDRESS(to.ptr) + z * to.ysize * to.pitch,
						   to.pitch, value, extent.width, extent.height,
						   stream);
	return result;
}
TWIN(cudaMemset3DAsync_ptsz, cudaMemset3DAsync,
     (struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream),
     (to, value, extent, stream))
