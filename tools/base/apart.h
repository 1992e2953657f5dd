/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work on what a stranger named, in a child process: if it stands still (a file of a file system that no longer
 * answers), the child is given up. Neighbour: ../proc/files/foreign_file.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls `work` in a child, which writes its answer to `to` and has no other descriptors but 0 to 2 and `keep` (-1: none).
 * Copies the answer to `answer`; returns its bytes, 0: none, or not all of it came in time. After the first that was
 * late no other child is started.
 */
size_t apart_ask(void (*work)(int to, void *context), void *context, int keep, void *answer,
		 size_t bytes);

/* Writes all of it; false: nobody reads it. */
bool apart_answer(int to, const void *bytes, size_t count);
