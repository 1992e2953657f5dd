/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a file under a temporary name beside it, then renames it into place. Links, pipes and
 * devices are written directly.
 */
#include "atomic_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

static bool is_plain_or_missing(const char *file)
{
	struct stat st;

	return lstat(file, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

/* Returns 0 or the first errno. */
static int fill_and_close(FILE *out, atomic_file_fill *fill, const void *what)
{
	int error = 0;

	errno = 0;
	fill(out, what);
	if (ferror(out))
		error = errno ? errno : EIO;
	if (fclose(out) && !error)
		error = errno;
	return error;
}

static char *write_through(const char *file, atomic_file_fill *fill, const void *what)
{
	FILE *out = fopen(file, "we");
	int error = out ? fill_and_close(out, fill, what) : errno;

	return error ? text_format("%s: %s", file, strerror(error)) : NULL;
}

char *atomic_file_write(const char *file, atomic_file_fill *fill, const void *what)
{
	char *scratch, *wrong = NULL;
	FILE *out;
	int error;

	if (!is_plain_or_missing(file))
		return write_through(file, fill, what);
	scratch = text_format("%s.%d.tmp", file, getpid());
	out = fopen(scratch, "wxe");
	if (!out) {
		wrong = text_format("%s: %s; choose a file in a directory that you may write to",
				    file, strerror(errno));
		free(scratch);
		return wrong;
	}
	error = fill_and_close(out, fill, what);
	if (!error && rename(scratch, file))
		error = errno;
	if (error) {
		wrong = text_format("%s: %s", file, strerror(error));
		unlink(scratch);
	}
	free(scratch);
	return wrong;
}
