/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the state of processes is read: /proc and the kernel, or a source that stands in for them, as
 * core files do. Names are relative to /proc, and formatted as by printf. A source answers in /proc's own
 * formats; what it lacks is like a file that may not be read. Neighbours: proc.h parses the answers,
 * ../core/core_proc.h is the other source.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct procfs_source {
	/* A descriptor of a file's text, which the caller closes; -1: there is none. */
	int (*open)(const char *name);
	/* The target of a symbolic link, NUL-terminated; false: there is none. */
	bool (*link)(const char *name, char *target, size_t bytes);
	/* Calls `see` for each entry of a directory that is a number; false: there is no such directory. */
	bool (*list)(const char *name, void (*see)(uint32_t number, void *context), void *context);
	/* Copies memory; returns how many bytes, -1 with errno if none. */
	long (*memory)(uint32_t pid, uint64_t from, void *to, size_t bytes);
	/* The thread pointer of a thread (FS base); 0: unknown. */
	uint64_t (*thread_pointer)(uint32_t pid, uint32_t tid);
};

/* All is read from there until it is replaced; NULL: from /proc. */
void procfs_use(const struct procfs_source *source);
/* The source in use; NULL: processes live, and the kernel may be asked about their numbers. */
const struct procfs_source *procfs_source(void);

__attribute__((format(printf, 1, 2))) int procfs_open(const char *name, ...);
__attribute__((format(printf, 1, 2))) FILE *procfs_stream(const char *name, ...);
/* Reads a small file, NUL-terminated; false on failure. */
__attribute__((format(printf, 3, 4))) bool procfs_read(char *text, size_t bytes, const char *name,
						       ...);
__attribute__((format(printf, 3, 4))) bool procfs_link(char *target, size_t bytes, const char *name,
						       ...);
__attribute__((format(printf, 3, 4))) bool procfs_list(void (*see)(uint32_t number, void *context),
						       void *context, const char *name, ...);

/*
 * The path of what only the kernel has (descriptors, namespaces, a process's root directory); "", which
 * is nobody's path, where something else is the source.
 */
__attribute__((format(printf, 3, 4))) void procfs_path(char *path, size_t bytes, const char *name,
						       ...);
