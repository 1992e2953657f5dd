/*
 * Small files that people write: read whole, line by line, with errors that name file, line and column. Neighbours:
 * baseline.h, conf.h, suppress.h.
 */
#ifndef MPSAN_TEXTFILE_H
#define MPSAN_TEXTFILE_H

#include <stdbool.h>
#include <stddef.h>

struct textfile {
	char *name;
	char *text;
	size_t length;
	size_t next; /* where the next line begins */
	unsigned number; /* of the current line */
	char *line; /* the current one, without its end */
};

/*
 * Reads a file; a mark of UTF-8 at its beginning is skipped. NULL, or one line (owned by the caller) that says what is
 * wrong, with errno 0 when it is the content.
 */
char *textfile_read(struct textfile *file, const char *name);
char *textfile_read_from(struct textfile *file, const char *name, int fd);
void textfile_finish(struct textfile *file);

/* The next line; false at the end. */
bool textfile_next(struct textfile *file);

/* "FILE:LINE:COLUMN: what", for a place in the current line; owned by the caller. */
char *textfile_wrong(const struct textfile *file, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Cuts the blanks around; the text within the line. */
char *textfile_strip(char *text);

/* Cuts a comment, from a '#' at the beginning or after a blank, and the blanks around; the text within the line. */
char *textfile_trim(char *text);

#endif
