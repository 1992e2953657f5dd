/* SPDX-License-Identifier: Apache-2.0 */
/* Parses /proc/PID/maps. */
#include "procmaps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "proc.h"
#include "procfs.h"

/* Takes a hexadecimal number and the character behind it; if it is another one, `at` becomes "". */
static uint64_t take_hex(const char **at, char behind)
{
	uint64_t number = 0;
	char c;

	for (; (c = **at) && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')); ++*at)
		number = number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	*at = c == behind ? *at + 1 : "";
	return number;
}

/* "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH" */
static bool read_line(char *line, struct procmap *map)
{
	unsigned major_number, minor_number;
	const char *at = line;
	char *path;

	*map = (struct procmap){.start = take_hex(&at, '-')};
	map->end = take_hex(&at, ' ');
	if (map->end <= map->start || strlen(at) < 6 || at[4] != ' ')
		return false;
	memcpy(map->rights, at, 4);
	at += 5;
	map->offset = take_hex(&at, ' ');
	major_number = (unsigned)take_hex(&at, ':');
	minor_number = (unsigned)take_hex(&at, ' ');
	if (!*at)
		return false;
	map->device = makedev(major_number, minor_number);
	map->inode = strtoull(at, &path, 10);
	path += strspn(path, " ");
	path[strnlen(path, PATH_MAX - 1)] = '\0';
	map->path = path;
	return true;
}

/* False at the end. The rest of an overlong line, which is that of a path, is skipped. */
static bool next_line(FILE *file, char *line, size_t bytes)
{
	size_t length;
	int c = 0;

	if (!fgets(line, (int)bytes, file))
		return false;
	length = strcspn(line, "\n");
	while (!line[length] && length + 1 == bytes && c != '\n' && c != EOF)
		c = getc_unlocked(file);
	line[length] = '\0';
	return true;
}

struct procmaps_walk procmaps_begin(uint32_t pid)
{
	return (struct procmaps_walk){.pid = pid, .file = procfs_stream("%u/maps", pid)};
}

/* A process whose main thread has ended shows no mappings there. */
static bool take_living(struct procmaps_walk *walk)
{
	uint32_t tid = walk->pid ? proc_living(walk->pid) : 0;

	if (!tid || tid == walk->pid)
		return false;
	if (walk->file)
		fclose(walk->file);
	walk->file = procfs_stream("%u/task/%u/maps", walk->pid, tid);
	walk->pid = 0;
	return walk->file;
}

bool procmaps_next(struct procmaps_walk *walk)
{
	do {
		while (walk->file && next_line(walk->file, walk->line, sizeof(walk->line))) {
			walk->pid = 0;
			if (read_line(walk->line, &walk->at))
				return true;
		}
	} while (take_living(walk));
	return false;
}

bool procmaps_end(struct procmaps_walk *walk)
{
	return walk->file && !fclose(walk->file);
}

bool procmap_is_device(const struct procmap *map)
{
	return !strncmp(map->path, "/dev/", 5) && strncmp(map->path, "/dev/shm/", 9) != 0 &&
	       strncmp(map->path, "/dev/zero", 9) != 0;
}

bool procmaps_read(struct procmaps *maps, uint32_t pid)
{
	struct procmaps_walk walk = procmaps_begin(pid);

	while (procmaps_next(&walk))
		if (walk.at.rights[3] == 's') {
			walk.at.path = NULL;
			*ARRAY_ADD(&maps->list) = walk.at;
		}
	return procmaps_end(&walk);
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
