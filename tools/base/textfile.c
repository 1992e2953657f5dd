/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads text files that people write, line by line, and formats errors with file, line and column.
 */
#include "textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jsontext.h"
#include "util.h"

#define FILE_MAX ((size_t)16 << 20) /* real ones are far smaller */

/* Reads to the end of the file. Returns false with errno. */
static bool read_all(struct textfile *file, int fd)
{
	size_t room = 0;

	for (;;) {
		ssize_t got;

		if (room - file->length < 4096) {
			room = room ? 2 * room : 65536;
			file->text = memory_grow(file->text, room);
		}
		got = read(fd, file->text + file->length, room - file->length - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got > 0)
			file->length += (size_t)got;
		if (file->length > FILE_MAX)
			errno = EFBIG;
		if (got < 0 || file->length > FILE_MAX)
			return false;
		if (!got)
			break;
	}
	file->text[file->length] = '\0';
	return true;
}

/* Returns an error with the position of the first NUL byte; NULL if there is none. */
static char *wrong_bytes(struct textfile *file)
{
	size_t end = strlen(file->text);

	if (end == file->length)
		return NULL;
	while (textfile_next(file) && file->next <= end)
		;
	return textfile_wrong(file, file->text + end, "a NUL byte; give a text file");
}

/* Leaves errno as it is for the caller. */
static char *cannot_read(const char *name)
{
	int error = errno;
	char *wrong = error == EISDIR ? text_format("%s: is a directory; give a file", name) :
					text_format("%s: %s", name, strerror(error));

	errno = error;
	return wrong;
}

char *textfile_read_from(struct textfile *file, const char *name, int fd)
{
	static const char mark[] = "\xef\xbb\xbf";

	*file = (struct textfile){.name = text_copy(name)};
	if (!read_all(file, fd))
		return cannot_read(name);
	if (!strncmp(file->text, mark, 3)) {
		file->length -= 3;
		memmove(file->text, file->text + 3, file->length + 1);
	}
	return wrong_bytes(file);
}

char *textfile_read(struct textfile *file, const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC), error;
	char *wrong;

	if (fd < 0) {
		*file = (struct textfile){.name = text_copy(name)};
		return cannot_read(name);
	}
	wrong = textfile_read_from(file, name, fd);
	error = errno;
	close(fd);
	errno = error;
	return wrong;
}

void textfile_finish(struct textfile *file)
{
	free(file->name);
	free(file->text);
	*file = (struct textfile){0};
}

bool textfile_next(struct textfile *file)
{
	char *end;

	if (file->next >= file->length)
		return false;
	file->line = file->text + file->next;
	end = memchr(file->line, '\n', file->length - file->next);
	file->next = end ? (size_t)(end + 1 - file->text) : file->length;
	file->number++;
	if (end)
		*end = '\0';
	else
		end = file->text + file->length;
	if (end > file->line && end[-1] == '\r')
		end[-1] = '\0';
	return true;
}

/* Counts characters, as editors do. */
static unsigned column_of(const char *line, const char *at)
{
	unsigned column = 1;

	for (; line < at; line++)
		column += ((unsigned char)*line & 0xc0) != 0x80;
	return column;
}

char *textfile_wrong(const struct textfile *file, const char *at, const char *format, ...)
{
	AUTO_FREE char *what = NULL;
	char *text;
	va_list args;
	json_auto_t *safe = NULL;

	va_start(args, format);
	if (vasprintf(&what, format, args) < 0)
		what = NULL;
	va_end(args);
	text = text_format("%s:%u:%u: %s", file->name, file->number,
			   column_of(file->line, at ? at : file->line), what ? what : "");
	safe = jsontext_of(text); /* strip control characters before printing */
	free(text);
	text = text_copy(json_string_value(safe));
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	errno = 0;
	return text;
}

char *textfile_strip(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

char *textfile_trim(char *text)
{
	text = textfile_strip(text);
	for (char *c = text; *c; c++)
		if (*c == '#' && (c == text || strchr(" \t", c[-1]))) {
			*c = '\0';
			break;
		}
	return textfile_strip(text);
}
