/*
 * The start of the driver, and its devices. Devices are MPSAN_FAKE_DEVICES in number (preset 1), of which
 * CUDA_VISIBLE_DEVICES, read once at the start, hides and reorders some. A device's UUID depends on its physical number alone.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fake.h"

static struct device {
	int physical;
	CUuuid uuid;
	struct CUctx_st primary;
	int64_t taken;
} devices[FAKE_DEVICES];

static int device_number;
static bool initialised;
static char *
	/* a page that the kernel empties in a forked child; not empty: this process started the driver */
	alive;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

CUcontext device_primary(CUdevice device)
{
	return &devices[device].primary;
}

void fake_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void fake_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

CUresult driver_state(void)
{
	bool fine = __atomic_load_n(&initialised, __ATOMIC_ACQUIRE) && *alive;

	return fine ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult driver_unsupported(void)
{
	CUresult state = driver_state();

	return state != CUDA_SUCCESS ? state : CUDA_ERROR_NOT_SUPPORTED;
}

static void set_uuid(CUuuid *uuid, int physical)
{
	memcpy(uuid->bytes, "mpsan fake GPU  ", 16);
	uuid->bytes[15] = physical;
}

/* "GPU-6d70…" or the beginning of it. */
static bool names_uuid(const char *word, size_t length, int physical)
{
	CUuuid uuid;
	char text[48] = "GPU-";
	int at = 4;

	set_uuid(&uuid, physical);
	for (int i = 0; i < 16; i++)
		at += sprintf(text + at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      (unsigned char)uuid.bytes[i]);
	return length > 4 && length <= (size_t)at && strncmp(text, word, length) == 0;
}

static int physical_of(const char *word, size_t length, int physical_number)
{
	char *end;
	long number = strtol(word, &end, 10);

	if (length && end == word + length)
		return number >= 0 && number < physical_number ? (int)number : -1;
	for (int i = 0; i < physical_number; i++)
		if (names_uuid(word, length, i))
			return i;
	return -1;
}

static void add_device(int physical)
{
	struct device *device = &devices[device_number];

	device->physical = physical;
	set_uuid(&device->uuid, physical);
	device->primary = (struct CUctx_st){.device = device_number++, .primary = true};
}

/* The list ends at the first word that names no device, or one that it named before. */
static void read_devices(void)
{
	const char *number = getenv("MPSAN_FAKE_DEVICES"), *word = getenv("CUDA_VISIBLE_DEVICES");
	int physical_number = number ? atoi(number) : 1;
	uint32_t seen = 0;

	if (physical_number > FAKE_DEVICES)
		physical_number = FAKE_DEVICES;
	device_number = 0;
	for (int i = 0; !word && i < physical_number; i++)
		add_device(i);
	while (word && *word) {
		size_t length = strcspn(word, ",");
		int physical = physical_of(word, length, physical_number);

		if (physical < 0 || seen & 1u << physical)
			return;
		seen |= 1u << physical;
		add_device(physical);
		word += length + (word[length] == ',');
	}
}

static CUresult start(void)
{
	char *page;

	if (initialised)
		return driver_state();
	read_devices();
	if (device_number == 0)
		return CUDA_ERROR_NO_DEVICE;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || madvise(page, 4096, MADV_WIPEONFORK) != 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	if (!arena_main())
		return CUDA_ERROR_OPERATING_SYSTEM;
	*page = 1;
	alive = page;
	__atomic_store_n(&initialised, true, __ATOMIC_RELEASE);
	return CUDA_SUCCESS;
}

EXPORT CUresult cuInit(unsigned flags)
{
	CUresult result;

	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (__atomic_load_n(&initialised, __ATOMIC_ACQUIRE))
		return driver_state();
	fake_lock();
	result = start();
	fake_unlock();
	return result;
}

/* Devices */

bool device_exists(CUdevice device)
{
	return device >= 0 && device < device_number;
}

const CUuuid *device_uuid(CUdevice device)
{
	return &devices[device].uuid;
}

CUdevice device_by_uuid(const CUuuid *uuid)
{
	for (int i = 0; i < device_number; i++)
		if (memcmp(&devices[i].uuid, uuid, sizeof(*uuid)) == 0)
			return i;
	return -1;
}

bool device_peers(CUdevice from, CUdevice to)
{
	const char *peers = getenv("MPSAN_FAKE_PEERS");

	return from != to && !(peers && strcmp(peers, "0") == 0);
}

bool device_take(CUdevice device, int64_t bytes)
{
	int64_t taken = devices[device].taken + bytes;

	if (taken > (int64_t)FAKE_DEVICE_BYTES)
		return false;
	devices[device].taken = taken;
	return true;
}

CALL(cuDeviceGetCount, (int *count), (count))
{
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = device_number;
	return CUDA_SUCCESS;
}

CALL(cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal))
{
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_exists(ordinal))
		return CUDA_ERROR_INVALID_DEVICE;
	*device = ordinal;
	return CUDA_SUCCESS;
}

CALL(cuDeviceGetName, (char *name, int length, CUdevice device), (name, length, device))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, length, "mpsan fake GPU %d", devices[device].physical);
	return CUDA_SUCCESS;
}

CALL(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), (uuid, device))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*uuid = devices[device].uuid;
	return CUDA_SUCCESS;
}
ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), (uuid, device))

CALL(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), (bytes, device))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = FAKE_DEVICE_BYTES;
	return CUDA_SUCCESS;
}

CALL(cuMemGetInfo_v2, (size_t * unused, size_t *total), (unused, total))
{
	CUcontext context = context_now();

	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	fake_lock();
	*unused = FAKE_DEVICE_BYTES - devices[context->device].taken;
	fake_unlock();
	*total = FAKE_DEVICE_BYTES;
	return CUDA_SUCCESS;
}

CALL(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device), (value, attribute, device))
{
	/* By the numbers of CUdevice_attribute; what is not here is 0. */
	static const int values[] = {
		[1] = 1024,	   [2] = 1024,	 [3] = 1024,	 [4] = 64,	 [5] = 2147483647,
		[6] = 65535,	   [7] = 65535,	 [8] = 49152,	 [9] = 65536,	 [10] = 32,
		[11] = 2147483647, [12] = 65536, [13] = 1500000, [14] = 512,	 [15] = 1,
		[16] = 108,	   [19] = 1,	 [31] = 1,	 [36] = 1215000, [37] = 5120,
		[38] = 41943040,   [39] = 2048,	 [40] = 3,	 [41] = 1,	 [75] = 8,
		[76] = 0,	   [78] = 1,	 [79] = 1,	 [81] = 167936,	 [82] = 65536,
		[83] = 1,	   [89] = 1,	 [102] = 1,	 [103] = 1,	 [115] = 1,
		[119] = 1,	   [125] = 1,
	};

	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || attribute <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	*value = (size_t)attribute < sizeof(values) / sizeof(*values) ? values[attribute] : 0;
	return CUDA_SUCCESS;
}

CALL(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer), (can, device, peer))
{
	if (!device_exists(device) || !device_exists(peer))
		return CUDA_ERROR_INVALID_DEVICE;
	*can = device_peers(device, peer);
	return CUDA_SUCCESS;
}

CALL(cuDeviceGetPCIBusId, (char *id, int length, CUdevice device), (id, length, device))
{
	if (!device_exists(device))
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(id, length, "0000:%02X:00.0", devices[device].physical + 1);
	return CUDA_SUCCESS;
}
