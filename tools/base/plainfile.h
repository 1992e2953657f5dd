/*
 * The door to files in whose place there may be something else: files of a session, modules, programs. A pipe or
 * a device there is never waited for, and never opened.
 */
#ifndef MPSAN_PLAINFILE_H
#define MPSAN_PLAINFILE_H

#include <errno.h>

#define PLAINFILE_OTHER EBADFD /* errno: something is there, but no plain file */

/*
 * Opens a plain file as openat does, with O_RDONLY or O_RDWR and perhaps O_NOFOLLOW, and closes it on exec. -1 with
 * errno where that cannot be.
 */
int plainfile_open(int dirfd, const char *name, int flags);

/* errno of the above in words. */
const char *plainfile_error(int error);

#endif
