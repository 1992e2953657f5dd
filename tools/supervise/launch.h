/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates a session and starts a program in it. Neighbours: watch.h follows it, session.h reads the
 * session.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A new session. */
struct launch {
	char *dir;
	bool is_private; /* created under $TMPDIR, to be removed */
	char *library; /* what LD_PRELOAD names */
	/* the machine is at fault, not an argument: a full disk or a resource limit */
	bool is_tight;
};

/*
 * Creates the session in `dir`; NULL: in a private directory. Returns NULL, or a one-line error
 * that the caller frees.
 */
char *launch_prepare(struct launch *launch, const char *dir, const char *options_for_library);

/*
 * As launch_prepare, for processes that were started without the library: room for so many, and
 * more.
 */
char *launch_prepare_outside(struct launch *launch, const char *dir, uint32_t processes);

/* Removes a private directory with its contents. */
void launch_finish(struct launch *launch);

/*
 * The path of the library that belongs to this program, which the caller frees; NULL if there is
 * none.
 */
char *launch_find_library(void);
/* The file of this program; false: unknown. */
bool launch_own_file(char self[PATH_MAX]);

/* The child's environment variables, terminated by a NULL name. The caller frees them. */
struct launch_variable {
	const char *name;
	char *value;
};
#define LAUNCH_VARIABLES 5
void launch_environment(const char *library, const char *dir, const char *options_for_library,
			bool with_asan, struct launch_variable variables[LAUNCH_VARIABLES]);

/*
 * Starts the program with these variables (NULL: none) and the state saved by program_state.h. `child`
 * becomes its pid before it does anything, or 0 with errno if it could not be executed.
 * Async-signal-safe if there are no variables.
 */
void launch_start(const struct launch_variable *variables, char **argv, volatile pid_t *child);

/* The exit status for that errno: the program's fault, or STATUS_BROKEN for the machine's. */
int launch_status(int error);

/* Removes a directory with its contents. Async-signal-safe. */
void launch_remove(const char *dir);
