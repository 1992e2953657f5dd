/*
 * Names for addresses: functions, static objects, and source lines where there is debug
 * information.
 *
 * Only what lies on this machine is read: the module itself, and separate debug files in the usual
 * places
 * (/usr/lib/debug, .build-id). Nothing is fetched. Answers are kept, so asking again is cheap.
 */
#ifndef MPSAN_SYMBOLS_H
#define MPSAN_SYMBOLS_H

#include "modules.h"

struct symbols;

/* A named address. Strings belong to the struct symbols; NULL or 0 when not known. */
struct symbol {
	char *function; /* or the static object; C++ names demangled */
	char *module; /* path */
	uint64_t offset; /* see the two functions below */
	char *file;
	char *built_in; /* the compiler's working directory, to which `file` may be relative */
	int line;
};

/* NULL when out of memory. */
struct symbols *symbols_create(void);
void symbols_destroy(struct symbols *symbols);

/*
 * From now on all that is created is one, kept until this is called with false: the ranks of a job run the same files,
 * and each is read once.
 */
void symbols_keep(bool keep);

/*
 * Names the code at `pc`; `offset` is pc within the module's file. A return address is looked up
 * one byte earlier, within the call. False when pc lies in no module; true with `function` NULL
 * when all that is known is the module (stripped, gone, or another build than the one that ran).
 */
bool symbols_name(struct symbols *symbols, const struct modules *modules, uint64_t pc,
		  bool is_return_address, struct symbol *out);

/*
 * Names the static object that holds `address`; `offset` is then the address within that object.
 * With no such object `function` is NULL and `offset` is the address within the module's file.
 */
bool symbols_name_data(struct symbols *symbols, const struct modules *modules, uint64_t address,
		       struct symbol *out);

#endif
