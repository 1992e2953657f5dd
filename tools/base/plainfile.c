/* See plainfile.h. */
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

/* To open a device may already do something, so the type is asked first; and again, since it may have changed. */
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
	return error == PLAINFILE_OTHER ? "is no plain file" : strerror(error);
}
