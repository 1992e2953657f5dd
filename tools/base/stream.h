/* SPDX-License-Identifier: Apache-2.0 */
/* Streams whose reader may go away, as `head` does. */
#ifndef MPSAN_STREAM_H
#define MPSAN_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes what is buffered. False, with errno (0 if unknown), if something could not be written, now or before; not where
 * the reader has gone, who has seen all that he wants. SIGPIPE has to be ignored meanwhile.
 */
bool stream_flush(FILE *stream);

#endif
