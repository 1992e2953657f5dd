/*
 * What the forking thread does around its fork: which locks atfork handlers leave behind in the
 * parent, whether a wait happens inside a handler, what Python was doing. Neighbours: fork.c keeps a
 * scene in each snapshot, look.c asks.
 */
#ifndef MPSAN_SCENE_H
#define MPSAN_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "python.h"

struct scene {
	bool hooked; /* a hook called fork, and will see it return */
	bool marked;
	bool preexec;
	uint32_t holds; /* claims of the thread before any handler ran */
	struct python_mark mark; /* the Python call that forks */
};

/* Before the real call. */
void scene_begin(struct scene *scene);

/* At the snapshot, with the GIL, for this fork event: returns enum mpsan_fork_flags. */
uint32_t scene_look(struct scene *scene, uint64_t fork);

/* In the parent, after the call: states locks that handlers took and kept. */
void scene_end(const struct scene *scene, uint64_t fork);

/* In a forked child: the calling thread runs a callback of os.register_at_fork. */
bool scene_in_callback(const struct scene *scene);

/* States the name of a module's import lock, once. */
void scene_name_import(uint64_t hash, const char *name);

#endif
