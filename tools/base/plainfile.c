/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a file only if it is a regular one. */
#include "plainfile.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(int error)
{
	errno = error;
	return -1;
}

/*
 * Opening a device can have side effects, so the type is checked before the open, and again after
 * it in case the file was replaced.
 */
int plainfile_open(int dirfd, const char *name, int flags)
{
	struct stat st;
	int fd;

	if (fstatat(dirfd, name, &st, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0))
		return -1;
	if (!S_ISREG(st.st_mode))
		return refuse(PLAINFILE_OTHER);
	fd = openat(dirfd, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return refuse(PLAINFILE_OTHER);
	}
	return fd;
}

const char *plainfile_error(int error)
{
	return error == PLAINFILE_OTHER ? "not a regular file" : strerror(error);
}
