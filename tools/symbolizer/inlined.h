/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines from debug information: of an address, and of the calls that were inlined there.
 * Neighbour: symbols.h names the function in which they are.
 */
#pragma once

#include <elfutils/libdwfl.h>
#include <stdint.h>

/* A position in a function. Strings belong to the Dwfl_Module; NULL or 0 if unknown. */
struct inlined_place {
	const char *function; /* as the linker would name it; NULL for the one that contains all */
	const char *file;
	int line;
};

/*
 * The positions at `at`: in the functions inlined there, innermost first, and in the one that
 * contains them. What is inlined from an installed header, and wrappers (attribute `artificial`)
 * like ours are left out: their callers' lines are shown. Returns how many there are, at most
 * `max`, the innermost and always the last; `built_in` gets the compiler's working directory. 0: no
 * debug information.
 */
unsigned inlined_places(Dwfl_Module *module, uint64_t at, struct inlined_place *places,
			unsigned max, const char **built_in);
