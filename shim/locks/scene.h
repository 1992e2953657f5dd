/*
 * What the forking thread does around its fork: which locks atfork handlers leave behind in the
 * parent, whether a wait happens inside a handler, what Python was doing. Neighbours: fork.c keeps a
 * scene in each snapshot, look.c asks.
 */
#ifndef MPSAN_SCENE_H
#define MPSAN_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "../python/python.h"

struct scene {
	bool hooked; /* a hook called fork, and will see it return */
	bool marked;
	bool preexec;
	uint32_t holds; /* claims of the thread before any handler ran */
	struct python_mark mark; /* the Python call that forks */
};

/* Before the real call. */
void scene_begin(struct scene *scene);

/* At the snapshot, with the GIL: returns enum mpsan_fork_flags. */
uint32_t scene_look(struct scene *scene);

/* In the parent, after the call: states locks that handlers took and kept. */
void scene_end(const struct scene *scene, uint64_t fork);

/* In a forked child: the scene of the fork that made it; NULL: not known. */
void scene_born(const struct scene *scene);

/* The calling thread is in this fork, NULL: in none. */
void scene_enter(const struct scene *scene);

/* The calling thread is inside fork, in an atfork handler of its own; in a child also of Python's. */
bool scene_in_handler(void);

/* States the name of a module's import lock, once. */
void scene_name_import(uint64_t hash, const char *name);

#endif
