/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kind of program a command names, and whether LD_PRELOAD works with it. Neighbours: launch.h
 * checks before it starts a program, cmd_doctor.c reports to the user.
 */
#pragma once

#include <stdbool.h>

struct binary {
	char *path; /* the program, or the final interpreter of a script; NULL: not found */
	/* the interpreter of a script, also one that was not found; NULL: no script */
	char *interpreter;
	char *loader; /* PT_INTERP, NULL: static */
	char *python; /* "3.11" for CPython, judged by file names; else NULL */
	bool is_elf;
	bool is_foreign; /* for another word size or machine than this mpsan */
	/* set-user-ID, set-group-ID, or with capabilities: the loader ignores LD_PRELOAD */
	bool is_secure;
	bool has_asan;
	bool has_tsan;
	bool loads_more; /* it calls dlopen itself */
	bool is_musl;
};

void binary_inspect(struct binary *binary, const char *command);
void binary_finish(struct binary *binary);

/* Why the library cannot be loaded into it, a constant "PROBLEM; CURE"; NULL if it can. */
const char *binary_obstacle(const struct binary *binary);
