/*
 * What kind of program a command names, and whether a preloaded library can come into it.
 * Neighbours: launch.h asks before it starts one, cmd_doctor.c tells people.
 */
#ifndef MPSAN_BINARY_H
#define MPSAN_BINARY_H

#include <stdbool.h>

struct binary {
	char *path; /* of the program, or of what runs it in the end; NULL: not found */
	/* what runs it when it is a script, or was not found for one; NULL: none */
	char *interpreter;
	char *loader; /* PT_INTERP, NULL: static */
	char *python; /* "3.11" when it is CPython, as far as its names tell; NULL */
	bool is_elf;
	bool is_foreign; /* of another word size or machine than this mpsan */
	/* set-user-ID, set-group-ID, or with capabilities: the loader ignores LD_PRELOAD */
	bool is_secure;
	bool has_asan;
	bool has_tsan;
	bool loads_more; /* it calls dlopen by itself */
	bool is_musl;
};

void binary_inspect(struct binary *binary, const char *command);
void binary_finish(struct binary *binary);

/* Why the library cannot be loaded into it, NULL when it can; constant. */
const char *binary_obstacle(const struct binary *binary);

#endif
