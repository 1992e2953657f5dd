/*
 * Files of source code: text, or not to be had. They are named by what a program said, so anything may lie there: only
 * regular files are opened, and what is read is made fit to be shown. Neighbour: sources.h chooses the files.
 */
#ifndef MPSAN_SOURCE_FILE_H
#define MPSAN_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct source_file {
	char *path;
	char *text; /* NUL-terminated; NULL: not to be had */
	size_t bytes;
	uint64_t written_ns; /* when its content was, as it says itself: CLOCK_REALTIME */
	/* when it, or a link or directory that leads to it, was changed last, as the kernel says */
	uint64_t changed_ns;
	uint32_t *line; /* where each begins */
	uint32_t lines;
};

/* Reads what `owner` may read as well. `path` is absolute. */
void source_file_read(struct source_file *file, const char *path, uid_t owner);
void source_file_finish(struct source_file *file);

/* Line `number`, from 1, without blanks around it, cut where it is long; NULL: none, or blank. The caller's. */
char *source_file_line(const struct source_file *file, uint64_t number);

/* Whether a name stands somewhere up to the end of that line. */
bool source_file_names(const struct source_file *file, uint64_t number, const char *name);

#endif
