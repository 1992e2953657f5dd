/*
 * What a call would have been bound to without this library. Functions of libc exist once; those of
 * a C++ or OpenMP runtime may exist several times in a process, each copy for the objects that were
 * loaded with it, and to mix two copies is fatal. So the answer depends on who calls, and is found
 * the loader's way: in the scopes of the caller's object, in their order.
 */
#ifndef MPSAN_SCOPE_H
#define MPSAN_SCOPE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct scope_answer {
	void *real; /* NULL: there is no definition besides ours */
	const struct link_map *in; /* the object that has it */
	uint64_t start,
		end; /* the object of the caller: the same holds for all of it; 0: unknown */
};

/* The definition of `name` for code at `caller`. Slow: hook.h's REAL_OF remembers. */
struct scope_answer scope_find(const char *name, uint64_t caller);

/*
 * Whether a reference to `name` in the object of `caller` (0: in the program itself) finds anything
 * but us, and what, and where. True where the scopes cannot be read, with nothing in `real`.
 */
bool scope_has(const char *name, uint64_t caller, void **real, const struct link_map **in);

/* The object that has the address; NULL: none. */
const struct link_map *scope_owner(uint64_t address);

#endif
