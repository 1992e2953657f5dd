/* SPDX-License-Identifier: Apache-2.0 */
/* Opens files of /proc, or what stands in for them. */
#include "procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME_BYTES 64u
#define PATH_BYTES (NAME_BYTES + 8)

static const struct procfs_source *used;

void procfs_use(const struct procfs_source *source)
{
	used = source;
}

const struct procfs_source *procfs_source(void)
{
	return used;
}

/* "/proc/NAME" */
struct place {
	char path[PATH_BYTES];
};

__attribute__((format(printf, 1, 0))) static struct place place_of(const char *name, va_list words)
{
	struct place place = {"/proc/"};

	vsnprintf(place.path + 6, NAME_BYTES, name, words);
	return place;
}

static int open_place(const struct place *place)
{
	return used ? used->open(place->path + 6) : open(place->path, O_RDONLY | O_CLOEXEC);
}

int procfs_open(const char *name, ...)
{
	struct place place;
	va_list words;

	va_start(words, name);
	place = place_of(name, words);
	va_end(words);
	return open_place(&place);
}

FILE *procfs_stream(const char *name, ...)
{
	struct place place;
	va_list words;
	FILE *file;
	int fd;

	va_start(words, name);
	place = place_of(name, words);
	va_end(words);
	fd = open_place(&place);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

bool procfs_read(char *text, size_t bytes, const char *name, ...)
{
	struct place place;
	va_list words;
	ssize_t got;
	int fd;

	va_start(words, name);
	place = place_of(name, words);
	va_end(words);
	fd = open_place(&place);
	got = fd < 0 ? -1 : read(fd, text, bytes - 1);
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

bool procfs_link(char *target, size_t bytes, const char *name, ...)
{
	struct place place;
	va_list words;
	ssize_t length;

	va_start(words, name);
	place = place_of(name, words);
	va_end(words);
	if (used)
		return used->link(place.path + 6, target, bytes);
	length = readlink(place.path, target, bytes - 1);
	target[length > 0 ? length : 0] = '\0';
	return length > 0;
}

static bool list_directory(const char *path, void (*see)(uint32_t, void *), void *context)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			see((uint32_t)strtoul(entry->d_name, NULL, 10), context);
	closedir(dir);
	return true;
}

bool procfs_list(void (*see)(uint32_t, void *), void *context, const char *name, ...)
{
	struct place place;
	va_list words;

	va_start(words, name);
	place = place_of(name, words);
	va_end(words);
	return used ? used->list(place.path + 6, see, context) :
		      list_directory(place.path, see, context);
}

void procfs_path(char *path, size_t bytes, const char *name, ...)
{
	va_list words;

	*path = '\0';
	if (used)
		return;
	snprintf(path, bytes, "/proc/");
	va_start(words, name);
	vsnprintf(path + 6, bytes - 6, name, words);
	va_end(words);
}
