/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in files: the object at an address, its source lines and the calls that were inlined there. Runs in the
 * symbolizer's process only, as elfutils and the C++ demangler trust what they read. Neighbours: inlined.h, debug_file.h.
 */
#pragma once

#include "inlined.h"
#include "modules.h"

#define NAMES_PLACES 12u

/* How much of a file is read: less after more of it did harm. */
enum names_depth {
	NAMES_LINES, /* its debug information, also where it is in a file of its own */
	NAMES_SYMBOLS, /* its symbol tables; C++ names stay as they are there */
	NAMES_NOTHING,
};

/* What is at an address. Strings belong to the caller of names_find; NULL or 0 if unknown. */
struct names {
	uint64_t lowest; /* vaddr of the file's first page; 0 also if there is no such file */
	char *object; /* a function or static object; C++ names demangled */
	uint64_t start; /* its vaddr */
	char *built_in; /* the compiler's working directory */
	unsigned places; /* see inlined.h; 0: no debug information */
	struct {
		char *function; /* NULL: the object */
		char *file;
		int line;
	} place[NAMES_PLACES];
};

/* Looks up the address `ahead` bytes behind the module's base; `lines` are not wanted for each. */
void names_find(const struct module *module, uint64_t ahead, enum names_depth depth, bool lines,
		struct names *names);
void names_free(struct names *names);

/* Forgets all files. */
void names_finish(void);
