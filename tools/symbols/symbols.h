/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of addresses: functions, static objects, and source lines if there is debug information. Answers are cached.
 * Neighbour: ../symbolizer/symbolizer.h reads the files.
 */
#pragma once

#include "../symbolizer/names.h"

struct symbols;

/* A named address. Strings belong to the struct symbols; NULL or 0 if unknown. */
struct symbol {
	char *function; /* or the static object; C++ names demangled */
	char *module; /* path */
	uint64_t offset; /* see the two functions below */
	char *file;
	char *built_in; /* the compiler's working directory, to which `file` may be relative */
	int line;
	bool inlined; /* into the function that contains the address */
};

/* What is known lasts until the last of them is destroyed. */
struct symbols *symbols_create(void);
void symbols_destroy(struct symbols *symbols);

/*
 * Names the code at `pc`; `offset` is pc within the module's file. A return address is looked up
 * one byte earlier, within the call. False if pc is in no module; true with `function` NULL if only
 * the module is known (stripped, missing, or another build).
 */
bool symbols_name(struct symbols *symbols, const struct modules *modules, uint64_t pc,
		  bool is_return_address, struct symbol *out);

/*
 * As symbols_name, for the functions inlined at that place as well: innermost first, at most `max`
 * of the outermost; the last one is the function of symbols_name. Returns how many; 0 if pc is in no
 * module.
 */
#define SYMBOLS_PLACES NAMES_PLACES
unsigned symbols_places(struct symbols *symbols, const struct modules *modules, uint64_t pc,
			bool is_return_address, struct symbol *out, unsigned max);

/*
 * Names the static object that contains `address`; `offset` is then the address within that object.
 * Without such an object `function` is NULL and `offset` is the address within the module's file.
 */
bool symbols_name_data(struct symbols *symbols, const struct modules *modules, uint64_t address,
		       struct symbol *out);
