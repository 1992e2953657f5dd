/*
 * The settings of a sub-command, parsed by the rows of ../include/mpsan_options.def; --help is
 * printed from the same rows. Neighbours: the cmd_*.c files.
 */
#ifndef MPSAN_OPTIONS_H
#define MPSAN_OPTIONS_H

#include <stdio.h>

#include "report.h"
#include "grades.h"
#include "hosts.h"
#include "suppress.h"

enum option_where { OPT_RUN = 1, OPT_REPORT = 2, OPT_CHECK = 4, OPT_ENV = 8, OPT_LIB = 16 };

struct settings {
	ARRAY(struct report_target) reports; /* none: text on standard error */
	enum grade fail_on; /* GRADE_OFF: never */
	int exit_code;
	struct grades grades;
	struct suppressions suppressions;
	bool kill_on_deadlock;
	unsigned hang_after; /* seconds */
	const char *dir; /* NULL: a private one */
	const char *launcher; /* a row of launchers.def; NULL: none */
	ARRAY(struct host_skew) skews;
	const char *baseline;
	const char *write_baseline;
	char *for_library; /* name=value:… of what the library itself must know; NULL: nothing */
	int rest; /* index of the first argument that is no option */
};

/*
 * Parses argv[1..] up to "--" or the first word that is no option. Returns 0, or STATUS_USAGE
 * after a complaint, or OPTIONS_HELP after printing the help.
 */
#define OPTIONS_HELP (-1)
int options_parse(struct settings *settings, enum option_where where, const char *usage, int argc,
		  char **argv);
void options_finish(struct settings *settings);

/* The rows of one sub-command, in the form of --help; 0: all rows. */
void options_print(FILE *out, int where);

#endif
