/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CPython of a process in its maps: see pyfile.h. */
#include "pyfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "../proc/proc.h"
#include "../proc/procfs.h"
#include "../proc/root.h"
#include "../symbolizer/symbolizer.h"

#define PATH_BYTES 4096

/* One line of /proc/PID/maps. */
struct mapping {
	uint64_t start, end, offset, inode;
	unsigned major, minor;
	const char *path;
};

static bool mapping_parse(struct mapping *mapping, char *line)
{
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &mapping->start, &mapping->end, &mapping->offset, &mapping->major,
		   &mapping->minor, &mapping->inode, &at) != 6 ||
	    !at || line[at] != '/')
		return false;
	line[strcspn(line, "\n")] = '\0';
	mapping->path = line + at;
	return true;
}

/* Through /proc, so that a deleted program can be read. */
static bool read_program(pid_t pid, const char *target, struct python_symbols *file)
{
	char path[64];

	procfs_path(path, sizeof(path), "%d/exe", (int)pid);
	return symbolizer_python(*path ? path : target, file);
}

/*
 * In a container the path is below the process's root, in a chroot below ours. The inode decides if
 * possible: some file systems have two for one file.
 */
static bool read_library(pid_t pid, const struct mapping *mapping, struct python_symbols *file)
{
	char path[PATH_BYTES + ROOT_BYTES] = "";
	char *mapped = root_mapped((uint32_t)pid, mapping->path, mapping->start, mapping->end);
	struct python_symbols below;
	bool is_below = false;

	if (mapped) {
		is_below = symbolizer_python(mapped, file);
		free(mapped);
		return is_below;
	}
	if (root_is_apart((uint32_t)pid)) {
		root_name((uint32_t)pid, path);
		is_below = symbolizer_python(strcat(path, mapping->path), &below);
	}
	if (is_below && below.inode == mapping->inode) {
		*file = below;
		return true;
	}
	if (symbolizer_python(mapping->path, file) && (!is_below || file->inode == mapping->inode))
		return true;
	*file = below;
	return is_below;
}

/* A file that this look has asked for: processes share them, and each has several mappings of one. */
struct asked {
	uint64_t inode;
	unsigned major, minor;
	bool found;
	struct python_symbols file;
};

static ARRAY(struct asked) asked;

static const struct python_symbols *read_mapped(pid_t pid, const struct mapping *mapping,
						const char *program)
{
	static uint32_t look;
	struct asked *one;

	if (!look || look != kept_look())
		asked.count = 0;
	look = kept_look();
	for (uint32_t i = 0; i < asked.count && mapping->inode; i++) {
		one = &asked.item[i];
		if (one->inode == mapping->inode && one->major == mapping->major &&
		    one->minor == mapping->minor)
			return one->found ? &one->file : NULL;
	}
	one = ARRAY_ADD(&asked);
	*one = (struct asked){mapping->inode, mapping->major, mapping->minor, .found = false};
	one->found = strcmp(mapping->path, program) ? read_library(pid, mapping, &one->file) :
						      read_program(pid, program, &one->file);
	return one->found ? &one->file : NULL;
}

/* The first mapping of the program, or of a library with a fitting name, that contains CPython. */
static bool find_in(pid_t pid, FILE *maps, struct python_symbols *found, uint64_t *start)
{
	char line[PATH_BYTES + 128], program[PATH_BYTES];
	const struct python_symbols *file;
	struct mapping mapping;

	procfs_link(program, sizeof(program), "%d/exe", (int)pid);
	while (fgets(line, sizeof(line), maps)) {
		if (!mapping_parse(&mapping, line) ||
		    (strcmp(mapping.path, program) &&
		     !strstr(path_base(mapping.path), "libpython")))
			continue;
		file = read_mapped(pid, &mapping, program);
		if (!file || !file->is_cpython || mapping.offset != file->load_offset)
			continue;
		*found = *file;
		*start = mapping.start;
		return true;
	}
	return false;
}

bool pyfile_of(pid_t pid, struct python_symbols *file, uint64_t *start)
{
	FILE *maps = procfs_stream("%d/maps", (int)pid);
	bool found = maps && find_in(pid, maps, file, start);

	if (maps)
		fclose(maps);
	return found;
}

void pyfiles_finish(void)
{
	free(asked.item);
	memset(&asked, 0, sizeof(asked));
	symbolizer_finish();
}
