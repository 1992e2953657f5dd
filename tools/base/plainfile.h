/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens regular files only: session files, modules, programs. A pipe or a device in their place is
 * not opened, so nothing blocks.
 */
#pragma once

#include <errno.h>

#define PLAINFILE_OTHER EBADFD /* errno: exists, but is not a regular file */

/*
 * Opens a regular file like openat(), with O_RDONLY or O_RDWR and optionally O_NOFOLLOW; always
 * close-on-exec. Returns -1 with errno on failure.
 */
int plainfile_open(int dirfd, const char *name, int flags);

/* Text for an errno of plainfile_open(). */
const char *plainfile_error(int error);
