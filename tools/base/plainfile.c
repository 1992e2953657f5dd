/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a file only if it is a regular one. */
#include "plainfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(int error)
{
	errno = error;
	return -1;
}

/* By its name, though it could be another file by now. */
static int open_again(int dirfd, const char *name, int flags)
{
	struct stat st;
	int fd = openat(dirfd, name, flags);

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return refuse(PLAINFILE_OTHER);
	}
	return fd;
}

/* Opening a device can have side effects, so what is there is looked at first, and that very file is opened. */
int plainfile_open(int dirfd, const char *name, int flags)
{
	int place = openat(dirfd, name, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW)), fd, error;
	char path[48];
	struct stat st;

	flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	if (place < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = fstat(place, &st) || !S_ISREG(st.st_mode) ? refuse(PLAINFILE_OTHER) :
							 open(path, flags & ~O_NOFOLLOW);
	error = errno;
	close(place);
	errno = error;
	/* without /proc, and with no descriptor left */
	return fd < 0 && (error == ENOENT || error == EMFILE) ? open_again(dirfd, name, flags) : fd;
}

const char *plainfile_error(int error)
{
	return error == PLAINFILE_OTHER ? "not a regular file" : strerror(error);
}
