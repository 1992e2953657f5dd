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

static bool maps_line_is_shared(const char *line, uint64_t address)
{
	const char *end = line;

	while (*end && *end != '-')
		end++;
	if (!*end || address < text_hex(line) || address >= text_hex(end + 1))
		return false;
	while (*end && *end != ' ')
		end++;
	return *end && end[1] && end[2] && end[3] && end[4] == 's';
}

/*
 * Whether the mapping of an address is shared. A line is "START-END rwxs …": its first 48 bytes are
 * enough.
 */
bool sys_is_shared(const void *address)
{
	uint64_t wanted = (uint64_t)(uintptr_t)address;
	long fd = open_maps(), n;
	char text[512], line[48];
	unsigned filled = 0;
	bool shared = false;

	while (fd >= 0 && !shared && (n = SYS3(SYS_read, fd, text, sizeof(text))) > 0) {
		for (long i = 0; i < n && !shared; i++) {
			if (text[i] != '\n') {
				if (filled + 1 < sizeof(line))
					line[filled++] = text[i];
				continue;
			}
			line[filled] = '\0';
			filled = 0;
			shared = maps_line_is_shared(line, wanted);
		}
	}
	if (fd >= 0)
		SYS1(SYS_close, fd);
	return shared;
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
