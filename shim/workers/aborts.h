/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a process is about to end itself by SIGABRT: a failed assertion, an exception of C++ that nobody caught, or a call of abort. It
 * may go on if it handles that signal, so the end of the process says whether it was that. And panics of Rust, which end the thread,
 * unless it catches them. Events are those of exceptions.h; hooks/proc_events.c and stream.c call.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../intercept/hook.h"

/* What assert() passes to libc. */
struct failed_assertion {
	const char *expression, *file, *function;
	uint32_t line;
};
void aborts_assertion(const struct failed_assertion *failed, uint64_t caller);

/* abort() was called from there. */
void aborts_called(uint64_t caller);

/* The calling thread has written so many bytes to standard error, which begin as the message of a panic does. */
void aborts_look(const char *data, size_t bytes);

static inline ssize_t aborts_wrote(const char *data, ssize_t bytes)
{
	if (bytes > 0 && UNLIKELY(*data == '\n' || *data == 't'))
		aborts_look(data, (size_t)bytes);
	return bytes;
}
