/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who could end a wait for a descriptor: pipes whose end of file does not come, because processes that were created later
 * have inherited the write end; locks on files. Neighbours: idle.h and verdict.h use it.
 */
#pragma once

#include "../waits/waits.h"

/*
 * The last sibling that keeps open the pipe from which the thread reads, if nobody but later
 * siblings, which read from pipes as well, and the reader itself, does; SNAPSHOT_NONE otherwise.
 */
uint32_t pipe_holder(const struct waits *waits, uint32_t thread);

/* The only process that could end the wait, or took the file lock that the thread tries to take; SNAPSHOT_NONE: there are several, or none. */
uint32_t pipe_only(const struct waits *waits, uint32_t thread);

/*
 * "fd 3, whose other end is open in process 12 (fd 4) and process 13 (fd 4)": of a thread that waits at a pipe or
 * connection, or for a few descriptors to be ready; "held by process 12" for a file lock; "" for any other. The caller frees it.
 */
char *pipe_text(const struct waits *waits, uint32_t thread);
