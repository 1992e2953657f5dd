/* How a name becomes a pointer, and an error's number its name: the calls that need no initialised driver. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

int names_look_up(const char *name, void **f, int version, uint64_t flags, int *status);

/* MPSAN_FAKE_TRACE names a file that keeps what was asked: a line with name, version and flags for each request. */
static void trace(const char *name, int version, cuuint64_t flags)
{
	const char *path = getenv("MPSAN_FAKE_TRACE");
	char line[160];
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "%s %d %llu\n", name && *name ? name : "-", version,
		 (unsigned long long)flags);
	if (write(fd, line, strlen(line)) < 0)
		perror(path);
	close(fd);
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **f, int version, cuuint64_t flags,
				    CUdriverProcAddressQueryResult *status)
{
	int found = 0;
	CUresult result;

	trace(name, version, flags);
	result = names_look_up(name, f, version, flags, &found);

	if (status && result == CUDA_SUCCESS)
		*status = found;
	return result;
}

/* The first form has no room for a status, so a name that is not there is an error. */
EXPORT CUresult cuGetProcAddress(const char *name, void **f, int version, cuuint64_t flags)
{
	CUresult result;

	trace(name, version, flags);
	result = names_look_up(name, f, version, flags, NULL);
	return result == CUDA_SUCCESS && !*f ? CUDA_ERROR_NOT_FOUND : result;
}

CUresult cuDriverGetVersion(int *version);
EXPORT CUresult cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = 13000;
	return CUDA_SUCCESS;
}

static const struct {
	int number;
	const char *name, *text;
} errors[] = {
	{0, "CUDA_SUCCESS", "no error"},
	{1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
	{2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
	{100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
	{101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	{205, "CUDA_ERROR_MAP_FAILED", "mapping of buffer object failed"},
	{208, "CUDA_ERROR_ALREADY_MAPPED", "resource already mapped"},
	{217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
	 "peer access is not supported between these two devices"},
	{304, "CUDA_ERROR_OPERATING_SYSTEM",
	 "OS call failed or operation not supported on this OS"},
	{400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	{500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
	{600, "CUDA_ERROR_NOT_READY", "device not ready"},
	{704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
	{705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
	{712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
	 "part or all of the requested memory range is already mapped"},
	{713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
	 "pointer does not correspond to a registered memory region"},
	{801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	{999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

CUresult cuGetErrorName(CUresult error, const char **name);
EXPORT CUresult cuGetErrorName(CUresult error, const char **name)
{
	*name = NULL;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].number == (int)error)
			*name = errors[i].name;
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text);
EXPORT CUresult cuGetErrorString(CUresult error, const char **text)
{
	*text = NULL;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].number == (int)error)
			*text = errors[i].text;
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
