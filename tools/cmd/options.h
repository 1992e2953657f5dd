/*
 * The settings of a sub-command, parsed by the rows of ../include/mpsan_options.def; --help is
 * printed from the same rows. Neighbours: the cmd_*.c files.
 */
#ifndef MPSAN_OPTIONS_H
#define MPSAN_OPTIONS_H

#include <stdio.h>

#include "../findings/baseline.h"
#include "../findings/grades.h"
#include "../findings/suppress.h"
#include "../formats/formats.h"
#include "../report/hosts.h"

enum option_where {
	OPT_RUN = 1,
	OPT_REPORT = 2,
	OPT_CHECK = 4,
	OPT_ENV = 8,
	OPT_LIB = 16,
	OPT_LINE = 32, /* stands on the command line alone */
	OPT_PATH = 64, /* its value is, or ends with, the name of a file */
	OPT_COMMANDS = OPT_RUN | OPT_REPORT | OPT_CHECK | OPT_ENV
};

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
	struct baseline baseline;
	const char *write_baseline;
	char *for_library; /* name=value:… of what the library itself must know; NULL: nothing */
	char *conf; /* the project file in use; NULL: none */
	bool no_conf;
	struct text_view view;
	uint32_t
		/* how many of the reports, and whether the baseline, are the project file's: */
		conf_reports;
	bool conf_baseline; /* one on the command line takes their place */
	bool is_conf; /* what is set now comes from there */
	ARRAY(char *) texts; /* its values, which are pointed into */
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

/* A row of the table. */
struct option_def {
	const char *name;
	const char *argument;
	const char *preset;
	int where;
	const char *help;
	/* NULL, or what is wrong; the value is NULL when none was given, else borrowed for as long as the settings live. */
	char *(*set)(struct settings *settings, const char *value);
};

/* The row of an option that one of `where` takes, else NULL. */
const struct option_def *options_find(const char *name, size_t length, int where);
/* " (did you mean …?)" of the options that one of `where` takes, or ""; owned by the caller. */
char *options_suggest(const char *name, size_t length, int where);
/* Such an argument stands behind a '=' or not at all. */
bool option_is_optional(const struct option_def *row);

#endif
