/* SPDX-License-Identifier: Apache-2.0 */
/* Reads source files and sanitises their lines. */
#include "source_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plainfile.h"
#include "textfile.h"
#include "utf8.h"
#include "util.h"

#define COLUMNS 160u /* per line shown */
#define TAB 8u /* columns */

static uint64_t source_file_later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static uint64_t ns_of(struct timespec time)
{
	return time.tv_sec < 0 ? 0 : (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

/*
 * When a component of a file's path last began to lead elsewhere: a replaced link is new; a renamed
 * directory has a ctime later than its mtime, otherwise only its entries changed. The first `root` bytes
 * lead to the root of a process.
 */
static uint64_t way_changed_ns(const char *path, size_t root)
{
	char part[PATH_MAX];
	uint64_t newest = 0;
	struct stat st;

	for (const char *slash = strchr(path + root + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		memcpy(part, path, (size_t)(slash - path));
		part[slash - path] = '\0';
		if (lstat(part, &st))
			return UINT64_MAX;
		if (S_ISLNK(st.st_mode) || ns_of(st.st_ctim) > ns_of(st.st_mtim))
			newest = source_file_later(newest, ns_of(st.st_ctim));
	}
	return lstat(path, &st) ? UINT64_MAX : source_file_later(newest, ns_of(st.st_ctim));
}

/* Files of the kernel, which reading may consume, report size 0. */
static bool may_show(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size > 0 && st->st_size <= (off_t)SOURCE_FILE_MAX;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
	       one->st_size == other->st_size && ns_of(one->st_ctim) == ns_of(other->st_ctim);
}

static bool read_text(struct textfile *text, const char *path, struct stat *st)
{
	struct stat after;
	AUTO_FREE char *wrong = NULL;
	int fd = plainfile_open(AT_FDCWD, path, O_RDONLY);

	if (fd < 0)
		return false;
	if (fstat(fd, st) || !may_show(st)) {
		close(fd);
		return false;
	}
	wrong = textfile_read_from(text, path, fd);
	if (!wrong && (fstat(fd, &after) || !is_same(st, &after)))
		wrong = text_copy("changed meanwhile");
	close(fd);
	if (wrong)
		textfile_finish(text);
	return !wrong;
}

/* Line ends as in Python: "\n", "\r\n" and "\r". */
static void find_lines(struct source_file *file)
{
	ARRAY(uint32_t) lines = {0};

	*ARRAY_ADD(&lines) = 0;
	for (size_t i = 0; i < file->bytes; i++)
		if (file->text[i] == '\n' || (file->text[i] == '\r' && file->text[i + 1] != '\n'))
			*ARRAY_ADD(&lines) = (uint32_t)i + 1;
	file->line = lines.item;
	file->lines = lines.count;
}

void source_file_read(struct source_file *file, const char *path, size_t root)
{
	struct textfile text;
	struct stat st;

	*file = (struct source_file){0};
	if (strlen(path) >= PATH_MAX || !read_text(&text, path, &st))
		return;
	file->written_ns = ns_of(st.st_mtim);
	file->changed_ns = source_file_later(
		way_changed_ns(path, root), source_file_later(file->written_ns, ns_of(st.st_ctim)));
	file->text = text.text;
	file->bytes = text.length;
	free(text.name);
}

void source_file_take(struct source_file *file, const char *text, size_t bytes)
{
	*file = (struct source_file){.text = memory_get(bytes + 1), .bytes = bytes};
	memcpy(file->text, text, bytes);
	find_lines(file);
}

void source_file_finish(struct source_file *file)
{
	free(file->text);
	free(file->line);
	*file = (struct source_file){0};
}

static const char *end_of(const struct source_file *file, uint64_t number)
{
	return file->text + (number < file->lines ? file->line[number] : file->bytes);
}

static char *shown(const char *at, const char *end)
{
	char *line = memory_get(COLUMNS * 10 + sizeof("…")), *to = line;
	size_t length;

	for (unsigned columns = 0; at < end; at += length) {
		int32_t code = utf8_decode(at, &length);

		if (columns++ == COLUMNS) {
			strcpy(to, "…");
			break;
		}
		if (code == '\t')
			*to++ = ' ';
		else
			to = utf8_escape(to, at, length, "");
	}
	return line;
}

/* A line without blanks at its ends: from `*end` of it, which is then where it ends. */
static const char *bounds(const struct source_file *file, uint64_t number, const char **end)
{
	const char *at = file->text + file->line[number - 1];

	*end = end_of(file, number);
	while (at < *end && isspace((unsigned char)*at))
		at++;
	while (*end > at && isspace((unsigned char)(*end)[-1]))
		(*end)--;
	return at;
}

static bool has_line(const struct source_file *file, uint64_t number)
{
	return file->text && number >= 1 && number <= file->lines &&
	       file->line[number - 1] < file->bytes;
}

char *source_file_line(const struct source_file *file, uint64_t number)
{
	const char *at, *end;

	if (!has_line(file, number))
		return NULL;
	at = bounds(file, number, &end);
	return at == end ? NULL : shown(at, end);
}

/* The columns before what `at` points to in its line. */
static unsigned indent_of(const struct source_file *file, uint64_t number, const char *at)
{
	unsigned columns = 0;

	for (const char *blank = file->text + file->line[number - 1]; blank < at; blank++)
		columns = *blank == '\t' ? columns / TAB * TAB + TAB : columns + 1;
	return columns < COLUMNS ? columns : COLUMNS;
}

uint64_t source_file_around(const struct source_file *file, uint64_t number,
			    char *line[SOURCE_FILE_AROUND])
{
	uint64_t first = number > SOURCE_FILE_AROUND / 2 ? number - SOURCE_FILE_AROUND / 2 : 1;
	unsigned indents[SOURCE_FILE_AROUND] = {0}, least = COLUMNS;

	for (unsigned i = 0; i < SOURCE_FILE_AROUND; i++) {
		const char *at, *end;

		line[i] = NULL;
		if (!has_line(file, first + i))
			continue;
		at = bounds(file, first + i, &end);
		line[i] = shown(at, end);
		indents[i] = indent_of(file, first + i, at);
		if (at < end && indents[i] < least)
			least = indents[i];
	}
	for (unsigned i = 0; i < SOURCE_FILE_AROUND && line[i]; i++)
		if (*line[i] && indents[i] > least) {
			char *shallow = line[i];

			line[i] = text_format("%*s%s", (int)(indents[i] - least), "", shallow);
			free(shallow);
		}
	return first;
}

static bool is_part_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c & 0x80;
}

bool source_file_names(const struct source_file *file, uint64_t number, const char *name)
{
	size_t length = strlen(name);
	const char *end, *at;

	if (!file->text || number < 1 || number > file->lines)
		return false;
	end = end_of(file, number);
	for (at = file->text; (at = memmem(at, (size_t)(end - at), name, length)); at++)
		if ((at == file->text || !is_part_of_name(at[-1])) &&
		    (at + length == end || !is_part_of_name(at[length])))
			return true;
	return false;
}
