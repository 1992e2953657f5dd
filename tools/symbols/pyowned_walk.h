/* SPDX-License-Identifier: Apache-2.0 */
/* The objects found by pyowned.c, and the references between them that count. */
#ifndef MPSAN_PYOWNED_WALK_H
#define MPSAN_PYOWNED_WALK_H

#include "../base/util.h"
#include "pyowned.h"

struct owned_object {
	uint64_t at, type;
	uint64_t count; /* its references, according to Python */
	uint64_t found; /* those that are accounted for */
	uint32_t edges, edges_end; /* range in owned.edge: what it refers to */
	bool others; /* somebody else may reach it */
};

struct owned {
	const struct cpython *py;
	ARRAY(struct owned_object) object;
	ARRAY(uint32_t) edge; /* numbers of objects */
	uint32_t *place; /* hash table: number of the object + 1 */
};

/* Counts one reference to an object, by the one that is being visited; 0: none. */
void owned_add(struct owned *owned, uint64_t object);
/* Adds what an object refers to; what is not understood refers to nothing. */
void owned_visit(struct owned *owned, uint64_t object, uint64_t type);
/* The value of an attribute in the instance's own dictionary, and that dictionary; 0: none. */
uint64_t owned_dict(const struct owned *owned, uint64_t object, uint64_t type);

#endif
