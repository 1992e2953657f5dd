/*
 * What is left behind: processes whose parent has ended. Whatever others could have given them, a message, a
 * semaphore, the end of a pipe, may have been their parent's to give, so that nobody is left who could is the
 * consequence of that end and no deadlock; parent-lost and child-not-joined speak of it when they stay. What
 * one has to itself, or a living owner has, is no such thing. Neighbours: graph.h, deadlocks.h,
 * ../shim/core/people.h.
 */
#ifndef MPSAN_LEFT_BEHIND_H
#define MPSAN_LEFT_BEHIND_H

#include "graph.h"

/* Whether the parent of a process, or one further up, has ended and meant it, or its job, to end too. Asked anew. */
bool left_behind(const struct reader *reader, uint32_t slot);

/* Whether the dead of a group are so because somebody ended who could have helped them. */
bool left_explains(const struct graph *graph, uint32_t group);

/* The same for the circle of owners through `thread`: owners who live prove it, whoever else has ended. */
bool left_behind_explains_cycle(const struct graph *graph, uint32_t thread);

/* The same for what a dead process has kept from a thread. */
bool left_behind_explains_loss(const struct graph *graph, uint32_t thread, uint32_t dead_slot);

#endif
