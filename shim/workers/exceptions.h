/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions that Python threads handle, or end by: the cause of many a wait. What nobody handles is printed, logged,
 * pickled or sent by who catches it: hooks of writing, sending and opening ask whether their thread handles one.
 * common/cpython/exception.h reads it; hooks/stream.c, socket.c and fd.c call.
 */
#pragma once

#include "../intercept/hook.h"
#include "../python/python.h"

/* At the start, and in a forked child. */
void exceptions_start(void);
void exceptions_forked(void);

/*
 * Has `see` called with each exception that is recorded in a forked child, unless the parent was handling it at the fork:
 * its type, what it says, even where that is not told, and the frames of its traceback, innermost first.
 */
typedef void exception_seen(const char *type, const char *text, const char *frames);
void exceptions_watch(exception_seen *see);

/* The calling thread is about to write so much to a descriptor, or has opened a file. */
#define EXCEPTIONS_ANY SIZE_MAX /* it is not known how much */
void exceptions_at_write(int fd, size_t bytes);
void exceptions_at_open(const char *path);

static inline void exceptions_write(int fd, size_t bytes)
{
	if (UNLIKELY(python_catches) && UNLIKELY(python_handles() || fd == 2))
		exceptions_at_write(fd, bytes);
}

static inline void exceptions_open(const char *path)
{
	if (UNLIKELY(python_catches) && UNLIKELY(python_handles()))
		exceptions_at_open(path);
}
