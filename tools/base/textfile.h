/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small text files that people write: read completely, line by line, with errors that name file,
 * line and column. Neighbours: baseline.h, conf.h, suppress.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct textfile {
	char *name;
	char *text;
	size_t length;
	size_t next; /* offset of the next line */
	unsigned number; /* number of the current line */
	char *line; /* the current line without its newline */
};

/*
 * Reads a file, without its UTF-8 byte order mark. Returns NULL, or a one-line error that the
 * caller frees; errno is then 0 if the content is at fault.
 */
char *textfile_read(struct textfile *file, const char *name);
char *textfile_read_from(struct textfile *file, const char *name, int fd);
void textfile_finish(struct textfile *file);

/* Moves to the next line; false at the end. */
bool textfile_next(struct textfile *file);

/*
 * Formats "FILE:LINE:COLUMN: message" for the position `at` in the current line. The caller frees
 * it.
 */
char *textfile_wrong(const struct textfile *file, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Strips blanks at both ends; returns a pointer into `text`. */
char *textfile_strip(char *text);

/*
 * Strips a comment, from a '#' at the start or after a blank, and blanks at both ends; returns a
 * pointer into `text`.
 */
char *textfile_trim(char *text);
