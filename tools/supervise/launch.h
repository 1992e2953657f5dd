/*
 * Makes a session and starts a program in it. Neighbours: watch.h follows it, session.h reads
 * what is made here.
 */
#ifndef MPSAN_LAUNCH_H
#define MPSAN_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

/* The directory of a new session, absolute. */
struct launch {
	char *dir;
	bool is_private; /* made under $TMPDIR, to be removed */
	char *library; /* what LD_PRELOAD names */
	bool is_tight; /* what is wrong is no argument: a disk is full, a limit is reached */
};

/* NULL, or one line (owned by the caller) that says what is wrong. `dir` NULL: a private one. */
char *launch_prepare(struct launch *launch, const char *dir, const char *options_for_library);

/* Removes a private directory with all that is in it. */
void launch_finish(struct launch *launch);

/* The library beside this program, NULL when there is none; owned by the caller. */
char *launch_find_library(void);

/*
 * What a child's environment gets: pairs of name and value up to a NULL name. Owned by the
 * caller.
 */
struct launch_variable {
	const char *name;
	char *value;
};
#define LAUNCH_VARIABLES 5
void launch_environment(const char *library, const char *dir, const char *options_for_library,
			bool with_asan, struct launch_variable variables[LAUNCH_VARIABLES]);

/*
 * Starts the program with these variables (NULL: none), and all that program_state.h keeps for it. `child` is its pid before
 * it does anything, or 0 with errno set to why it could not be executed. Safe in a signal handler where there are no
 * variables.
 */
void launch_start(const struct launch_variable *variables, char **argv, volatile pid_t *child);

/* The exit status that such an errno makes: the program's fault, or STATUS_BROKEN for the machine's. */
int launch_status(int error);

/* Removes a directory with all that is in it. Safe in a signal handler. */
void launch_remove(const char *dir);

#endif
