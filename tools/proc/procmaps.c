/* SPDX-License-Identifier: Apache-2.0 */
/* Parses shared mappings in /proc/PID/maps. */
#include "procmaps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "proc.h"

/* "START-END rwxs OFFSET MAJOR:MINOR INODE PATH" */
static bool read_line(const char *line, struct procmap *map)
{
	unsigned long long start, end, offset, inode;
	unsigned device[2];
	char mode[5];

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu", &start, &end, mode, &offset, &device[0],
		   &device[1], &inode) != 7 ||
	    mode[3] != 's')
		return false;
	*map = (struct procmap){start, end, offset, makedev(device[0], device[1]), inode};
	return true;
}

bool procmaps_read(struct procmaps *maps, uint32_t pid)
{
	char *line = NULL;
	size_t room = 0;
	struct procmap map;
	FILE *file = proc_open_maps(pid);

	if (!file)
		return false;
	while (getline(&line, &room, file) > 0)
		if (read_line(line, &map))
			*ARRAY_ADD(&maps->list) = map;
	free(line);
	fclose(file);
	return true;
}

void procmaps_free(struct procmaps *maps)
{
	free(maps->list.item);
	memset(maps, 0, sizeof(*maps));
}

const struct procmap *procmaps_find(const struct procmaps *maps, uint64_t address)
{
	for (uint32_t i = 0; i < maps->list.count; i++)
		if (address >= maps->list.item[i].start && address < maps->list.item[i].end)
			return &maps->list.item[i];
	return NULL;
}
