/*
 * Device, managed and pinned memory as a program makes and frees it, and what can be asked of an address.
 */
#include <string.h>

#include "fake.h"

CUresult memory_take(struct arena *arena, CUdeviceptr *address, size_t bytes, int kind,
		     CUmemoryPool pool)
{
	CUcontext context = context_now();
	struct piece *piece;

	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!address || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (bytes > FAKE_DEVICE_BYTES ||
	    (kind != PIECE_HOST && !device_take(context->device, bytes)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	piece = arena_take(arena, bytes);
	if (!piece)
		return CUDA_ERROR_OUT_OF_MEMORY;
	piece->kind = kind;
	piece->context = context;
	piece->pool = pool;
	piece->device = context->device;
	*address = piece->start;
	return CUDA_SUCCESS;
}

void memory_give(struct arena *arena, struct piece *piece)
{
	CUmemoryPool pool = piece->pool;
	uint64_t bytes = piece->bytes;

	if (piece->kind != PIECE_HOST)
		device_take(piece->device, -(int64_t)bytes);
	arena_give(arena, piece);
	if (pool)
		pool_dropped(pool, bytes);
}

static CUresult take(CUdeviceptr *address, size_t bytes, int kind)
{
	CUresult result;

	fake_lock();
	result = memory_take(arena_main(), address, bytes, kind, NULL);
	fake_unlock();
	return result;
}

CUresult memory_end(CUdeviceptr address, uint32_t kinds)
{
	struct arena *arena;
	struct piece *piece;
	bool fine;

	fake_lock();
	piece = arena_find(address, &arena);
	fine = piece && piece->start == address && kinds & 1u << piece->kind;
	if (fine)
		memory_give(arena, piece);
	fake_unlock();
	return fine ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void forget(struct arena *arena, struct piece *piece, void *context)
{
	if (piece->context == context && piece->kind != PIECE_PHYSICAL && piece->kind != PIECE_POOL)
		memory_give(arena, piece);
}

void memory_forget(CUcontext context)
{
	arena_each(arena_main(), forget, context);
}

CALL(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes), (address, bytes))
{
	return take(address, bytes, PIECE_DEVICE);
}

CALL(cuMemAllocPitch_v2,
     (CUdeviceptr * address, size_t *pitch, size_t width, size_t height, unsigned element),
     (address, pitch, width, height, element))
{
	if (!pitch || (element != 4 && element != 8 && element != 16))
		return CUDA_ERROR_INVALID_VALUE;
	*pitch = (width + 511) & ~511ull;
	return take(address, *pitch * height, PIECE_DEVICE);
}

CALL(cuMemAllocManaged, (CUdeviceptr * address, size_t bytes, unsigned flags),
     (address, bytes, flags))
{
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	return take(address, bytes, PIECE_MANAGED);
}

CALL(cuMemHostAlloc, (void **address, size_t bytes, unsigned flags), (address, bytes, flags))
{
	CUdeviceptr made;
	CUresult result = flags > 7 || !address ? CUDA_ERROR_INVALID_VALUE :
						  take(&made, bytes, PIECE_HOST);

	if (result == CUDA_SUCCESS)
		*address = (void *)(uintptr_t)made;
	return result;
}

CALL(cuMemAllocHost_v2, (void **address, size_t bytes), (address, bytes))
{
	return do_cuMemHostAlloc(address, bytes, 0);
}

/* Frees memory of pools as well, once all work is done, as it is. */
CALL(cuMemFree_v2, (CUdeviceptr address), (address))
{
	CUresult result = address ? memory_end(address, 1u << PIECE_DEVICE | 1u << PIECE_MANAGED) :
				    CUDA_SUCCESS;

	if (result == CUDA_SUCCESS)
		return result;
	fake_lock();
	result = pool_give(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	fake_unlock();
	return result;
}

CALL(cuMemFreeHost, (void *address), (address))
{
	return address ? memory_end((uintptr_t)address, 1u << PIECE_HOST) :
			 CUDA_ERROR_INVALID_VALUE;
}

CALL(cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags), (address, bytes, flags))
{
	uint64_t start = (uintptr_t)address;
	CUresult result = CUDA_SUCCESS;
	struct mapping *mapping;

	if (!address || !bytes || flags > 15)
		return CUDA_ERROR_INVALID_VALUE;
	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	fake_lock();
	if (mapping_any(start) || arena_find(start, NULL)) {
		result = FAKE_ALREADY_REGISTERED;
	} else {
		mapping = mapping_add(start, bytes, MAPPING_REGISTERED);
		mapping->context = context_now();
		mapping->device = mapping->context->device;
	}
	fake_unlock();
	return result;
}
ALSO(cuMemHostRegister, cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags),
     (address, bytes, flags))

CALL(cuMemHostUnregister, (void *address), (address))
{
	struct mapping *mapping;

	fake_lock();
	mapping = mapping_find((uintptr_t)address, MAPPING_REGISTERED);
	if (mapping && mapping->start == (uintptr_t)address)
		mapping_drop(mapping);
	else
		mapping = NULL;
	fake_unlock();
	return mapping ? CUDA_SUCCESS : FAKE_NOT_REGISTERED;
}

CALL(cuMemHostGetDevicePointer_v2, (CUdeviceptr * address, void *host, unsigned flags),
     (address, host, flags))
{
	bool known = memory_known((uintptr_t)host, 1);

	if (!known || flags)
		return CUDA_ERROR_INVALID_VALUE;
	*address = (uintptr_t)host;
	return CUDA_SUCCESS;
}

/* Questions about an address */

struct place {
	uint64_t start, bytes, id;
	CUcontext context;
	CUmemoryPool pool;
	int device, kind;
	bool accessible;
};

static bool find_place(CUdeviceptr address, struct place *place)
{
	struct piece *piece;
	struct mapping *mapping;

	place->kind = PIECE_FREE;
	fake_lock();
	piece = arena_find(address, NULL);
	mapping = piece ? NULL : mapping_any(address);
	if (piece)
		*place = (struct place){piece->start, piece->bytes,  piece->id,	  piece->context,
					piece->pool,  piece->device, piece->kind, true};
	else if (mapping)
		*place = (struct place){
			mapping->start, mapping->bytes,	 mapping->id,	mapping->context,
			NULL,		mapping->device, mapping->kind, mapping->opened > 0};
	fake_unlock();
	return place->kind != PIECE_FREE && place->kind != PIECE_PHYSICAL;
}

bool memory_known(CUdeviceptr address, size_t bytes)
{
	struct place place;

	if (!find_place(address, &place) || !place.accessible)
		return false;
	if (bytes <= place.start + place.bytes - address)
		return true;
	/* Only pieces of physical memory that are mapped side by side count as one. */
	bytes -= place.start + place.bytes - address;
	return place.kind == MAPPING_PHYSICAL && memory_known(place.start + place.bytes, bytes);
}

CALL(cuMemGetAddressRange_v2, (CUdeviceptr * start, size_t *bytes, CUdeviceptr address),
     (start, bytes, address))
{
	struct place place;

	if (!context_now())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!find_place(address, &place) || place.kind == PIECE_HOST ||
	    place.kind == MAPPING_REGISTERED)
		return CUDA_ERROR_NOT_FOUND;
	if (start)
		*start = place.start;
	if (bytes)
		*bytes = place.bytes;
	return CUDA_SUCCESS;
}

/* By the numbers of CUpointer_attribute. */
static CUresult attribute_of(const struct place *place, CUdeviceptr address, int attribute,
			     void *value)
{
	bool host = place->kind == PIECE_HOST || place->kind == MAPPING_REGISTERED;

	switch (attribute) {
	case 1:
		*(CUcontext *)value = place->context;
		break;
	case 2:
		*(unsigned *)value = host ? 1 : 2;
		break;
	case 3:
		*(CUdeviceptr *)value = address;
		break;
	case 4:
		if (!host && place->kind != PIECE_MANAGED)
			return CUDA_ERROR_INVALID_VALUE;
		*(void **)value = (void *)(uintptr_t)address;
		break;
	case 7:
		*(unsigned long long *)value = place->id;
		break;
	case 6:
	case 8:
		*(unsigned *)value = attribute == 8 && place->kind == PIECE_MANAGED;
		break;
	case 9:
		*(int *)value = place->device;
		break;
	case 10:
		*(int *)value = place->kind == PIECE_DEVICE;
		break;
	case 11:
		*(CUdeviceptr *)value = place->start;
		break;
	case 12:
		*(size_t *)value = place->bytes;
		break;
	case 13:
		*(int *)value = 1;
		break;
	case 17:
		*(CUmemoryPool *)value = place->pool;
		break;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	return CUDA_SUCCESS;
}

CALL(cuPointerGetAttribute, (void *value, CUpointer_attribute attribute, CUdeviceptr address),
     (value, attribute, address))
{
	struct place place;

	if (!value || !find_place(address, &place))
		return CUDA_ERROR_INVALID_VALUE;
	return attribute_of(&place, address, attribute, value);
}

/* Many at once: what an address of the program's own memory has not is answered by zeros. */
CALL(cuPointerGetAttributes, (unsigned count, int *attributes, void **values, CUdeviceptr address),
     (count, attributes, values, address))
{
	struct place place;
	bool known = find_place(address, &place);

	for (unsigned i = 0; i < count; i++) {
		if (!known ||
		    attribute_of(&place, address, attributes[i], values[i]) != CUDA_SUCCESS)
			memset(values[i], 0, attributes[i] == 9 || attributes[i] == 2 ? 4 : 8);
		if (!known && attributes[i] == 9)
			*(int *)values[i] = -2;
	}
	return CUDA_SUCCESS;
}
