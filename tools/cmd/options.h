/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of a sub-command, parsed by the rows of ../include/mpsan_options.def; --help is
 * printed from the same rows. Neighbours: the cmd_*.c files.
 */
#pragma once

#include <stdio.h>

#include "../../shim/common/cpython/exception.h"
#include "../findings/baseline.h"
#include "../findings/grades.h"
#include "../findings/suppress.h"
#include "../formats/formats.h"
#include "../report/hosts.h"
#include "../supervise/watch.h"

enum option_where {
	OPT_RUN = 1,
	OPT_REPORT = 2,
	OPT_CHECK = 4,
	OPT_ENV = 8,
	OPT_LIB = 16,
	OPT_LINE = 32, /* command line only */
	OPT_PATH = 64, /* its value is a file name, or ends with one */
	OPT_ATTACH = 128,
	OPT_COMMANDS = OPT_RUN | OPT_REPORT | OPT_CHECK | OPT_ENV | OPT_ATTACH
};

struct settings {
	ARRAY(struct report_target)
	reports; /* empty: text, on standard error of run, else on standard output */
	enum grade fail_on; /* GRADE_OFF: never */
	int exit_code;
	struct grades grades;
	struct suppressions suppressions;
	enum on_deadlock on_deadlock;
	unsigned hang_after; /* seconds */
	unsigned long long log_total; /* bytes */
	bool forks_only; /* --level=forks */
	enum cpython_tell exceptions;
	const char *dir; /* NULL: a private one */
	ARRAY(const char *) names; /* of processes to examine */
	ARRAY(const char *) pids; /* of --pid; others are operands */
	ARRAY(const char *) cores; /* core files to examine */
	const char *exe; /* their program; NULL: as they name it */
	bool tree_only, watch;
	const char *launcher; /* a row of launchers.def; NULL: none */
	ARRAY(struct host_skew) skews;
	struct baseline baseline;
	const char *write_baseline;
	char *for_library; /* name=value:… for the library's MPSAN_OPTIONS; NULL: nothing */
	char *conf; /* the project file in use; NULL: none */
	bool no_conf;
	struct text_view view;
	uint32_t
		/* which reports, and whether the baseline, come from the project file: */
		conf_reports;
	bool conf_baseline; /* the command line replaces them */
	bool is_conf; /* values set now come from the project file */
	ARRAY(char *)
	texts; /* the project file's values, and words in full; settings point into them */
	int rest; /* index of the first operand */
};

/*
 * Parses argv[1..] up to "--" or the first operand. Returns 0, STATUS_USAGE after an error line, or
 * OPTIONS_HELP after printing the help.
 */
#define OPTIONS_HELP (-1)
int options_parse(struct settings *settings, enum option_where where, const char *usage, int argc,
		  char **argv);
void options_finish(struct settings *settings);

/* Prints the options of one sub-command, as --help does; 0: of all. */
void options_print(FILE *out, int where);
/* Prints --help, and returns OPTIONS_HELP. */
int options_help(enum option_where where, const char *usage);

/* A row of the table. */
struct option_def {
	const char *name;
	const char *argument;
	const char *preset;
	int where;
	const char *help;
	/*
	 * Returns NULL or an error. The value is NULL if none was given, else borrowed for the life
	 * of the settings.
	 */
	char *(*set)(struct settings *settings, const char *value);
};

/* The rows by number; NULL after the last. */
const struct option_def *options_row(size_t number);
/* It takes no argument. */
bool option_is_flag(const struct option_def *row);
/* The row of an option that `where` takes, else NULL. */
const struct option_def *options_find(const char *name, size_t length, int where);
/* " (did you mean …?)" with options that `where` takes, or "". The caller frees it. */
char *options_suggest(const char *name, size_t length, int where);
/* Whether the argument may be omitted; if given, it follows a '='. */
bool option_is_optional(const struct option_def *row);
