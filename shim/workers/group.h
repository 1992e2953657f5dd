/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether torch.distributed's process groups were created and destroyed in this process. Creating a
 * group starts threads, which triggers a look at the module's own table of groups; it is read again
 * whenever a thread is joined, as destroying a group does, and at the end of the process. See
 * hooks/thread.c, life.c.
 */
#pragma once

#include <stdbool.h>

extern bool group_made;

/* The calling thread creates a thread. Cheap unless libtorch is loaded. */
void group_thread_made(void);

void group_look_again(void);

/* Records the destruction of all groups once none is left. One load if there was none. */
static inline void group_look(void)
{
	if (__builtin_expect(group_made, 0))
		group_look_again();
}

/* The process exits: looks for groups that still exist. */
void group_exit(void);

/* A forked child has none, whatever its memory says. */
void group_forked(void);
