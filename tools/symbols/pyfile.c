/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the CPython of a process in its maps: see pyfile.h. */
#include "pyfile.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../base/util.h"
#include "../proc/proc.h"
#include "../proc/procfs.h"
#include "../proc/procmaps.h"
#include "../proc/root.h"
#include "../symbolizer/symbolizer.h"

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
static bool read_library(pid_t pid, const struct procmap *mapping, struct python_symbols *file)
{
	char path[PATH_MAX + ROOT_BYTES] = "";
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
	uint64_t device, inode;
	bool found;
	struct python_symbols file;
};

static ARRAY(struct asked) asked;

static const struct python_symbols *read_mapped(pid_t pid, const struct procmap *mapping,
						const char *program)
{
	static uint32_t look;
	struct asked *one;

	if (!look || look != kept_look())
		asked.count = 0;
	look = kept_look();
	for (uint32_t i = 0; i < asked.count && mapping->inode; i++) {
		one = &asked.item[i];
		if (one->inode == mapping->inode && one->device == mapping->device)
			return one->found ? &one->file : NULL;
	}
	one = ARRAY_ADD(&asked);
	*one = (struct asked){mapping->device, mapping->inode, .found = false};
	one->found = strcmp(mapping->path, program) ? read_library(pid, mapping, &one->file) :
						      read_program(pid, program, &one->file);
	return one->found ? &one->file : NULL;
}

/* The first mapping of the program, or of a library with a fitting name, that contains CPython. */
bool pyfile_of(pid_t pid, struct python_symbols *file, uint64_t *start)
{
	struct procmaps_walk walk = procmaps_begin((uint32_t)pid);
	const struct procmap *at = &walk.at;
	const struct python_symbols *mapped = NULL;
	char program[PATH_MAX] = "";

	if (walk.file)
		procfs_link(program, sizeof(program), "%d/exe", (int)pid);
	while (!mapped && procmaps_next(&walk)) {
		if (*at->path == '/' &&
		    (!strcmp(at->path, program) || strstr(path_base(at->path), "libpython")))
			mapped = read_mapped(pid, at, program);
		if (mapped && (!mapped->is_cpython || at->offset != mapped->load_offset))
			mapped = NULL;
	}
	if (mapped) {
		*file = *mapped;
		*start = at->start;
	}
	procmaps_end(&walk);
	return mapped;
}

void pyfiles_finish(void)
{
	free(asked.item);
	memset(&asked, 0, sizeof(asked));
	symbolizer_finish();
}
