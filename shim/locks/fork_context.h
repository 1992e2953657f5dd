/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of the forking thread around its fork: which locks atfork handlers leave held in the
 * parent, whether a wait happens inside a handler, what Python was doing. fork.c keeps one in each
 * snapshot, wait_proof.c asks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../python/python.h"

struct fork_context {
	bool hooked; /* called from a hook, which will see fork return */
	bool marked;
	bool preexec;
	uint32_t holds; /* claims of the thread before any handler ran */
	struct python_mark mark; /* the forking call in Python */
};

/* Before the real call. */
void fork_context_begin(struct fork_context *fork_context);

/* At the snapshot, with the GIL held: returns enum mpsan_fork_flags. */
uint32_t fork_context_look(struct fork_context *fork_context);

/* In the parent, after the call: records locks that handlers took and did not release. */
void fork_context_end(const struct fork_context *fork_context, uint64_t fork);

/* In a forked child: the context of the fork that created it; NULL: unknown. */
void fork_context_born(const struct fork_context *fork_context);

/* The calling thread is inside this fork; NULL: inside none. */
void fork_context_enter(const struct fork_context *fork_context);

/*
 * Whether the calling thread is inside fork, in an atfork handler of the program; in a child also
 * in one of Python's.
 */
bool fork_context_in_handler(void);

/* In a child: whether Python's call that forked, os.fork() as a rule, has not returned yet. */
bool fork_context_in_call(void);

/* States the name of a module's import lock, once. */
void fork_context_name_import(uint64_t hash, const char *name);
