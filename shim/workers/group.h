/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether torch.distributed's process groups were made and destroyed in this process. A group's making starts
 * threads, which tells; then the module's own table of groups is looked at whenever a thread is joined,
 * as the end of a group does, and at the end of the process. Neighbours: hooks/thread.c, life.c.
 */
#ifndef MPSAN_GROUP_H
#define MPSAN_GROUP_H

#include <stdbool.h>

extern bool group_made;

/* The calling thread makes a thread. Cheap unless libtorch is loaded. */
void group_thread_made(void);

void group_look_again(void);

/* States the end of all groups once none is left. One load while there was none. */
static inline void group_look(void)
{
	if (__builtin_expect(group_made, 0))
		group_look_again();
}

/* The process exits: the same for groups that are still there. */
void group_exit(void);

/* A child has none, whatever its memory says. */
void group_forked(void);

#endif
