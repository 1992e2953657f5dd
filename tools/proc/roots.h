/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the files of a session's processes can be read: those of a process in a container are below
 * /proc/PID/root, as long as one lives that sees the same files. Neighbour: root.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct roots;

/* `here`: the processes, numbered below `slots`, are, or were, in our /proc. */
struct roots *roots_create(uint32_t slots, bool here);
void roots_destroy(struct roots *roots);

/* The process is known to see other files than whoever recorded the session. */
void roots_tell_apart(struct roots *roots, uint32_t slot);

/*
 * Of a process, with its PID while it lives, else 0. NULL: its files are ours; ROOTS_GONE: they cannot
 * be read (any more); else for root_path.
 */
#define ROOTS_GONE ""
const char *roots_of(struct roots *roots, uint32_t slot, uint32_t pid);
