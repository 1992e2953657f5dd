/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call would be bound to without this library. Functions of libc exist once, but those of a
 * C++ or OpenMP runtime may exist several times in a process, each copy for the objects that were
 * loaded with it, and mixing two copies is fatal. So the answer depends on the caller, and is found
 * as the loader does: in the scopes of the caller's object, in order.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct scope_answer {
	void *real; /* NULL: there is no other definition */
	const struct link_map *in; /* the object that has it */
	uint64_t start,
		end; /* the object of the caller, for all of which the answer holds; 0: unknown */
};

/* The definition of `name` for code at `caller`. Slow: hook.h's REAL_OF caches it. */
struct scope_answer scope_find(const char *name, uint64_t caller);

/*
 * Whether a reference to `name` in the object of `caller` (0: in the program itself) finds a
 * definition other than this library's, and which, and in which object. True with `real` NULL if
 * the scopes cannot be read.
 */
bool scope_has(const char *name, uint64_t caller, void **real, const struct link_map **in);

/* The object that contains the address; NULL: none. */
const struct link_map *scope_owner(uint64_t address);
