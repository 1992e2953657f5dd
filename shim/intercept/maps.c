/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the list of this process's mappings; slow. Declared in sys.h. */
#include "sys.h"

#include <fcntl.h>

/* Opens the maps of the calling thread: a main thread that has ended shows none. */
static long open_maps(void)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC, 0);

	return fd >= 0 ? fd :
			 SYS4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
}

/* What names the object behind a mapping's line, if that is shared and has the address: "OFFSET DEVICE INODE". */
static const char *shared_object_of(const char *line, uint64_t address, uint64_t *start)
{
	const char *end = line;

	while (*end && *end != '-')
		end++;
	*start = text_hex(line);
	if (!*end || address < *start || address >= text_hex(end + 1))
		return NULL;
	while (*end && *end != ' ')
		end++;
	return *end && end[1] && end[2] && end[3] && end[4] == 's' && end[5] ? end + 6 : NULL;
}

/* A hash of the device and inode, and of the place in it: the same in each process that maps it. */
static uint64_t place_in(const char *object, uint64_t from_start)
{
	uint64_t hash = (text_hex(object) + from_start) * 0x9e3779b97f4a7c15ull;
	unsigned words = 0;

	while (*object && *object != ' ')
		object++;
	for (; *object && words < 3; words += *++object == ' ')
		hash = (hash ^ (uint8_t)*object) * 0x100000001b3ull;
	return hash | 1;
}

/* The lines of the maps: "START-END rwxs OFFSET DEVICE INODE …". */
uint64_t sys_shared_object(const void *address)
{
	uint64_t wanted = (uint64_t)(uintptr_t)address, start, place = 0;
	long fd = open_maps(), n;
	char text[512], line[96];
	const char *object;
	unsigned filled = 0;

	while (fd >= 0 && !place && (n = SYS3(SYS_read, fd, text, sizeof(text))) > 0) {
		for (long i = 0; i < n && !place; i++) {
			if (text[i] != '\n') {
				if (filled + 1 < sizeof(line))
					line[filled++] = text[i];
				continue;
			}
			line[filled] = '\0';
			filled = 0;
			object = shared_object_of(line, wanted, &start);
			place = object ? place_in(object, wanted - start) : 0;
		}
	}
	if (fd >= 0)
		SYS1(SYS_close, fd);
	return place;
}

bool sys_is_shared(const void *address)
{
	return sys_shared_object(address);
}

bool sys_maps_have(const char *wanted)
{
	long fd = open_maps(), n;
	const char *next = wanted;
	char text[512];

	while (fd >= 0 && *next && (n = SYS3(SYS_read, fd, text, sizeof(text))) > 0)
		for (long i = 0; i < n && *next; i++)
			next = text[i] == *next	  ? next + 1 :
			       text[i] == *wanted ? wanted + 1 :
						    wanted;
	if (fd >= 0)
		SYS1(SYS_close, fd);
	return !*next;
}
