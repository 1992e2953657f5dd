/*
 * Copies and fills: they really happen, at once, in order of the calls.
 */
#include <string.h>

#include "fake.h"

enum { TO_DEVICE = 1, FROM_DEVICE = 2 };

static CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, int sides)
{
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	if ((sides & TO_DEVICE && !memory_known(to, bytes)) ||
	    (sides & FROM_DEVICE && !memory_known(from, bytes)))
		return CUDA_ERROR_INVALID_VALUE;
	memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
	return CUDA_SUCCESS;
}

/* A copy in its four forms: with and without a stream, for the legacy default stream and for each thread's. */
#define COPY(name, async_name, to_type, from_type, sides)                                  \
	CALL(name##_v2, (to_type to, from_type from, size_t bytes), (to, from, bytes))     \
	{                                                                                  \
		return copy((CUdeviceptr)to, (CUdeviceptr)from, bytes, sides);             \
	}                                                                                  \
	ALSO(name##_v2_ptds, name##_v2, (to_type to, from_type from, size_t bytes),        \
	     (to, from, bytes))                                                            \
	CALL(async_name##_v2, (to_type to, from_type from, size_t bytes, CUstream stream), \
	     (to, from, bytes, stream))                                                    \
	{                                                                                  \
		(void)stream;                                                              \
		return copy((CUdeviceptr)to, (CUdeviceptr)from, bytes, sides);             \
	}                                                                                  \
	ALSO(async_name##_v2_ptsz, async_name##_v2,                                        \
	     (to_type to, from_type from, size_t bytes, CUstream stream),                  \
	     (to, from, bytes, stream))

COPY(cuMemcpyHtoD, cuMemcpyHtoDAsync, CUdeviceptr, const void *, TO_DEVICE)
COPY(cuMemcpyDtoH, cuMemcpyDtoHAsync, void *, CUdeviceptr, FROM_DEVICE)
COPY(cuMemcpyDtoD, cuMemcpyDtoDAsync, CUdeviceptr, CUdeviceptr, TO_DEVICE | FROM_DEVICE)

CALL(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
{
	return copy(to, from, bytes, 0);
}
ALSO(cuMemcpy_ptds, cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))

CALL(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
     (to, from, bytes, stream))
{
	(void)stream;
	return copy(to, from, bytes, 0);
}
ALSO(cuMemcpyAsync_ptsz, cuMemcpyAsync,
     (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))

#define PEERS \
	CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes

CALL(cuMemcpyPeer, (PEERS), (to, to_context, from, from_context, bytes))
{
	(void)to_context, (void)from_context;
	return copy(to, from, bytes, TO_DEVICE | FROM_DEVICE);
}
ALSO(cuMemcpyPeer_ptds, cuMemcpyPeer, (PEERS), (to, to_context, from, from_context, bytes))

CALL(cuMemcpyPeerAsync, (PEERS, CUstream stream),
     (to, to_context, from, from_context, bytes, stream))
{
	(void)to_context, (void)from_context, (void)stream;
	return copy(to, from, bytes, TO_DEVICE | FROM_DEVICE);
}
ALSO(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync, (PEERS, CUstream stream),
     (to, to_context, from, from_context, bytes, stream))

/* Rectangles; arrays are not known here. */

enum { MEMORY_HOST = 1 };

struct side {
	size_t x, y;
	uint32_t type;
	void *host;
	CUdeviceptr device;
	void *array;
	size_t pitch;
};

struct rectangle {
	struct side from, to;
	size_t width, height;
};

static char *row(const struct side *side, size_t number)
{
	char *base = side->type == MEMORY_HOST ? side->host : (char *)(uintptr_t)side->device;

	return base + (side->y + number) * side->pitch + side->x;
}

CALL(cuMemcpy2D_v2, (const struct rectangle *copies), (copies))
{
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (copies->from.array || copies->to.array)
		return CUDA_ERROR_NOT_SUPPORTED;
	for (size_t i = 0; i < copies->height; i++)
		memmove(row(&copies->to, i), row(&copies->from, i), copies->width);
	return CUDA_SUCCESS;
}
ALSO(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2, (const struct rectangle *copies), (copies))

CALL(cuMemcpy2DUnaligned_v2, (const struct rectangle *copies), (copies))
{
	return do_cuMemcpy2D_v2(copies);
}
ALSO(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2, (const struct rectangle *copies), (copies))

CALL(cuMemcpy2DAsync_v2, (const struct rectangle *copies, CUstream stream), (copies, stream))
{
	(void)stream;
	return do_cuMemcpy2D_v2(copies);
}
ALSO(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2, (const struct rectangle *copies, CUstream stream),
     (copies, stream))

struct side3 {
	size_t x, y, z, lod;
	uint32_t type;
	void *host;
	CUdeviceptr device;
	void *array, *reserved;
	size_t pitch, height;
};

struct box {
	struct side3 from, to;
	size_t width, height, depth;
};

static char *row3(const struct side3 *side, size_t y, size_t z)
{
	char *base = side->type == MEMORY_HOST ? side->host : (char *)(uintptr_t)side->device;

	return base + ((side->z + z) * side->height + side->y + y) * side->pitch + side->x;
}

CALL(cuMemcpy3D_v2, (const struct box *copies), (copies))
{
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (copies->from.array || copies->to.array)
		return CUDA_ERROR_NOT_SUPPORTED;
	for (size_t z = 0; z < copies->depth; z++)
		for (size_t y = 0; y < copies->height; y++)
			memmove(row3(&copies->to, y, z), row3(&copies->from, y, z), copies->width);
	return CUDA_SUCCESS;
}
ALSO(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2, (const struct box *copies), (copies))

CALL(cuMemcpy3DAsync_v2, (const struct box *copies, CUstream stream), (copies, stream))
{
	(void)stream;
	return do_cuMemcpy3D_v2(copies);
}
ALSO(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2, (const struct box *copies, CUstream stream),
     (copies, stream))

/* Fills */

static CUresult fill(CUdeviceptr to, unsigned value, size_t count, unsigned unit)
{
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (to % unit || !memory_known(to, count * unit))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count && unit > 1; i++)
		memcpy((char *)(uintptr_t)to + i * unit, &value, unit);
	if (unit == 1)
		memset((void *)(uintptr_t)to, value, count);
	return CUDA_SUCCESS;
}

#define FILL(name, type)                                                                \
	CALL(name##_v2, (CUdeviceptr to, type value, size_t count), (to, value, count)) \
	{                                                                               \
		return fill(to, value, count, sizeof(type));                            \
	}                                                                               \
	ALSO(name##_v2_ptds, name##_v2, (CUdeviceptr to, type value, size_t count),     \
	     (to, value, count))                                                        \
	CALL(name##Async, (CUdeviceptr to, type value, size_t count, CUstream stream),  \
	     (to, value, count, stream))                                                \
	{                                                                               \
		(void)stream;                                                           \
		return fill(to, value, count, sizeof(type));                            \
	}                                                                               \
	ALSO(name##Async_ptsz, name##Async,                                             \
	     (CUdeviceptr to, type value, size_t count, CUstream stream),               \
	     (to, value, count, stream))

FILL(cuMemsetD8, unsigned char)
FILL(cuMemsetD16, unsigned short)
FILL(cuMemsetD32, unsigned)

static CUresult fill_rows(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
			  unsigned unit)
{
	CUresult result = CUDA_SUCCESS;

	for (size_t i = 0; i < height && result == CUDA_SUCCESS; i++)
		result = fill(to + i * pitch, value, width, unit);
	return result;
}

#define FILL_ROWS(name, type)                                                                    \
	CALL(name##_v2, (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height), \
	     (to, pitch, value, width, height))                                                  \
	{                                                                                        \
		return fill_rows(to, pitch, value, width, height, sizeof(type));                 \
	}                                                                                        \
	ALSO(name##_v2_ptds, name##_v2,                                                          \
	     (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height),            \
	     (to, pitch, value, width, height))                                                  \
	CALL(name##Async,                                                                        \
	     (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,             \
	      CUstream stream),                                                                  \
	     (to, pitch, value, width, height, stream))                                          \
	{                                                                                        \
		(void)stream;                                                                    \
		return fill_rows(to, pitch, value, width, height, sizeof(type));                 \
	}                                                                                        \
	ALSO(name##Async_ptsz, name##Async,                                                      \
	     (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,             \
	      CUstream stream),                                                                  \
	     (to, pitch, value, width, height, stream))

FILL_ROWS(cuMemsetD2D8, unsigned char)
FILL_ROWS(cuMemsetD2D16, unsigned short)
FILL_ROWS(cuMemsetD2D32, unsigned)
