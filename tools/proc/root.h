/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that another process sees: in a container a path leads to another file than here.
 * Neighbour: ../reader/roots.h has those of a session's processes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Processes with the same one see the same files. */
struct root_id {
	uint64_t mounts; /* inode of the mount namespace */
	uint64_t device, inode; /* of the root directory */
};

/* False: it has ended, or may not be examined. */
bool root_identify(uint32_t pid, struct root_id *id);
bool root_is_same(const struct root_id *one, const struct root_id *other);
/* Whether a process sees other files than we do; false also if unknown. */
bool root_is_apart(uint32_t pid);

/*
 * The path of what is mapped from `start` to `end` if `path`, from /proc/PID/maps, says that its file was
 * deleted, as by an upgrade; else NULL. Only root may open it. The caller frees it.
 */
bool root_is_deleted(const char *path);
char *root_mapped(uint32_t pid, const char *path, uint64_t start, uint64_t end);

#define ROOT_BYTES 32u
/* The directory that is the root of a process, for root_path. */
void root_name(uint32_t pid, char root[ROOT_BYTES]);

/*
 * The path here of what `path`, absolute, means below that root, without symbolic links: the kernel
 * would follow absolute ones into our own file system. `linked_ns`, if not NULL, is set to the newest
 * change of a link on the way, 0: none. The caller frees the path; NULL: there is no such file. A root
 * of NULL is our own, whose paths are used unchanged; below "" there is nothing.
 */
char *root_path(const char *root, const char *path, uint64_t *linked_ns);
