/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the forking thread does around its fork: which locks atfork handlers leave behind in the
 * parent, whether a wait happens inside a handler, what Python was doing. Neighbours: fork.c keeps a
 * scene in each snapshot, wait_proof.c asks.
 */
#ifndef MPSAN_FORK_CONTEXT_H
#define MPSAN_FORK_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "../python/python.h"

struct fork_context {
	bool hooked; /* a hook called fork, and will see it return */
	bool marked;
	bool preexec;
	uint32_t holds; /* claims of the thread before any handler ran */
	struct python_mark mark; /* the Python call that forks */
};

/* Before the real call. */
void fork_context_begin(struct fork_context *fork_context);

/* At the snapshot, with the GIL: returns enum mpsan_fork_flags. */
uint32_t fork_context_look(struct fork_context *fork_context);

/* In the parent, after the call: states locks that handlers took and kept. */
void fork_context_end(const struct fork_context *fork_context, uint64_t fork);

/* In a forked child: the scene of the fork that made it; NULL: not known. */
void fork_context_born(const struct fork_context *fork_context);

/* The calling thread is in this fork, NULL: in none. */
void fork_context_enter(const struct fork_context *fork_context);

/* The calling thread is inside fork, in an atfork handler of its own; in a child also of Python's. */
bool fork_context_in_handler(void);

/* States the name of a module's import lock, once. */
void fork_context_name_import(uint64_t hash, const char *name);

#endif
