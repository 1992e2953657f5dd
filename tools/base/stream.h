/* SPDX-License-Identifier: Apache-2.0 */
/* Standard streams: those that read them, and the colours that they show. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes what is buffered, for a reader that may go away, as `head` does. False, with errno (0 if unknown), if something could not be written, now or before; not where
 * the reader has gone, who has seen all that he wants. SIGPIPE has to be ignored meanwhile.
 */
bool stream_flush(FILE *stream);

/* Whether it is a terminal with colours, and its user wants them (NO_COLOR). */
bool stream_is_coloured(FILE *stream);
