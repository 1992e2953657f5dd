/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a file under a temporary name beside it, then renames it into place. Links, pipes and
 * devices are written directly.
 */
#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

bool atomic_file_is_plain(const char *file)
{
	struct stat st;

	return lstat(file, &st) ? errno == ENOENT : S_ISREG(st.st_mode);
}

static char *cannot_create(const char *file, int error)
{
	return text_format("%s: %s; choose a file in a directory that you may write to", file,
			   strerror(error));
}

char *atomic_file_check(const char *file)
{
	const char *slash = strrchr(file, '/');
	AUTO_FREE char *folder = slash ? text_format("%.*s", (int)(slash - file) + 1, file) :
					 text_copy(".");
	struct stat st;
	char *wrong = NULL;

	if (!stat(file, &st) && S_ISDIR(st.st_mode))
		wrong = text_format("%s: %s", file, strerror(EISDIR));
	else if (atomic_file_is_plain(file) && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS))
		wrong = cannot_create(file, errno);
	else if (!atomic_file_is_plain(file) && faccessat(AT_FDCWD, file, W_OK, AT_EACCESS) &&
		 errno != ENOENT) /* a link to what is created then */
		wrong = text_format("%s: %s", file, strerror(errno));
	return wrong;
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

static char *scratch_of(const char *file, pid_t writer)
{
	return text_format("%s.%d.tmp", file, writer);
}

void atomic_file_abandon(const char *file, pid_t writer)
{
	AUTO_FREE char *scratch = scratch_of(file, writer);

	unlink(scratch);
}

char *atomic_file_write(const char *file, atomic_file_fill *fill, const void *what)
{
	AUTO_FREE char *scratch = NULL;
	char *wrong = NULL;
	FILE *out;
	int error;

	if (!atomic_file_is_plain(file))
		return write_through(file, fill, what);
	scratch = scratch_of(file, getpid());
	out = fopen(scratch, "wxe");
	if (!out) {
		wrong = cannot_create(file, errno);
		return wrong;
	}
	error = fill_and_close(out, fill, what);
	if (!error && rename(scratch, file))
		error = errno;
	if (error) {
		wrong = text_format("%s: %s", file, strerror(error));
		unlink(scratch);
	}
	return wrong;
}
