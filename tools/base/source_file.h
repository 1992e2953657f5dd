/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source files, as text. Their names come from the program and may lead anywhere: only regular
 * files are opened, and unsafe characters are replaced. Neighbours: ../symbols/sources.h chooses the files,
 * ../proc/files/foreign_file.h has them read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SOURCE_FILE_AROUND 5u /* lines */
#define SOURCE_FILE_MAX ((size_t)4 << 20) /* bytes; real ones are far smaller */

struct source_file {
	char *text; /* NUL-terminated; NULL: not available */
	size_t bytes;
	uint64_t written_ns; /* modification time: CLOCK_REALTIME */
	/* latest ctime of the file, and of links and directories that lead to it */
	uint64_t changed_ns;
	uint32_t *line; /* offset of each line */
	uint32_t lines;
};

/*
 * Reads a file, but does not look for its lines. The first `root` bytes of its path lead to the root of the process that
 * runs it.
 */
void source_file_read(struct source_file *file, const char *path, size_t root);
/* A copy of such a text, with its lines. */
void source_file_take(struct source_file *file, const char *text, size_t bytes);
void source_file_finish(struct source_file *file);

/*
 * Line `number`, from 1, without blanks at its ends, shortened; NULL: none, or blank. The caller
 * frees it.
 */
char *source_file_line(const struct source_file *file, uint64_t number);

/*
 * Line `number` with those before and after it, each shortened, without blanks at its end and without the indentation that all
 * have: returns the number of the first. NULL: beyond the end of the file. The caller frees them.
 */
uint64_t source_file_around(const struct source_file *file, uint64_t number,
			    char *line[SOURCE_FILE_AROUND]);

/* Whether a name occurs up to the end of that line. */
bool source_file_names(const struct source_file *file, uint64_t number, const char *name);
