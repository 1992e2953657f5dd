/* SPDX-License-Identifier: Apache-2.0 */
/* Parses command lines by the rows of mpsan_options.def. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "conf.h"

static int options_unknown(enum option_where where, const char *option, const char *command)
{
	size_t dashes = strspn(option, "-"), length = strcspn(option + dashes, "=");
	AUTO_FREE char *near = options_suggest(option + dashes, length, where);

	return complain("unknown option %s%s; 'mpsan %s --help' lists them", option, near, command);
}

/*
 * The options that choose the project file are parsed first; the others after that file, so that
 * they override it.
 */
enum pass { PASS_CONF, PASS_REST };

static bool is_first(const struct option_def *row)
{
	static const char *const first[] = {"conf", "no-conf", "write-baseline"};
	bool is = false;

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		is |= !strcmp(row->name, first[i]);
	return is;
}

/* No value of the option before it, which lacks one; behind a '=' it may be any word. */
static bool is_option(const char *word, enum option_where where)
{
	if (strncmp(word, "--", 2) != 0)
		return false;
	return !word[2] || options_find(word + 2, strcspn(word + 2, "="), where);
}

static int take_option(struct settings *settings, enum option_where where, int argc, char **argv,
		       int *at, enum pass pass)
{
	const char *name = argv[*at] + 2, *equals = strchrnul(name, '=');
	const struct option_def *row = options_find(name, equals - name, where);
	const char *value = *equals ? equals + 1 : NULL;
	AUTO_FREE char *wrong = NULL;

	if (!row)
		return options_unknown(where, argv[*at], argv[0]);
	if (value && option_is_flag(row))
		return complain("--%s takes no value", row->name);
	if (!value && !option_is_optional(row) && *at + 1 < argc &&
	    !is_option(argv[*at + 1], where))
		value = argv[++*at];
	if (!value && !option_is_optional(row))
		return complain("--%s: missing %s", row->name, row->argument);
	if (is_first(row) != (pass == PASS_CONF))
		return 0;
	wrong = row->set(settings, value);
	if (!wrong)
		return 0;
	complain("%s", wrong);
	return STATUS_USAGE;
}

/* -p PID and -pPID are --pid, as with other tools that take one. */
static char *in_full(struct settings *settings, enum option_where where, char *word)
{
	char *longer;

	if (strncmp(word, "-p", 2) != 0 || !options_find("pid", 3, where))
		return word;
	longer = text_format("--pid%s%s", word[2] ? "=" : "", word + 2);
	*ARRAY_ADD(&settings->texts) = longer;
	return longer;
}

static void put_last(int argc, char **argv, int at)
{
	char *word = argv[at];

	memmove(&argv[at], &argv[at + 1], (argc - 1 - at) * sizeof(*argv));
	argv[argc - 1] = word;
}

/* Options may also follow session directories; for `run`, parsing stops at the command. */
static int options_take_line(struct settings *settings, enum option_where where, const char *usage,
			     int argc, char **argv, enum pass pass)
{
	int at, end = argc, status = 0;

	for (at = 1; at < end; at++) {
		bool is_option = argv[at][0] == '-' && argv[at][1];

		if (!is_option && where == OPT_RUN)
			break;
		if (!is_option) {
			put_last(argc, argv, at--);
			end--;
			continue;
		}
		if (!strcmp(argv[at], "--")) {
			at++;
			break;
		}
		if (!strcmp(argv[at], "--help") || !strcmp(argv[at], "-h"))
			return options_help(where, usage);
		argv[at] = in_full(settings, where, argv[at]);
		if (strncmp(argv[at], "--", 2))
			return options_unknown(where, argv[at], argv[0]);
		status = take_option(settings, where, end, argv, &at, pass);
		if (status)
			return status;
	}
	settings->rest = at;
	return 0;
}

int options_parse(struct settings *settings, enum option_where where, const char *usage, int argc,
		  char **argv)
{
	int status;

	*settings = (struct settings){.fail_on = GRADE_ERROR,
				      .exit_code = 66,
				      .hang_after = 60,
				      .log_total = MPSAN_LOGS_MAX};
	grades_init(&settings->grades);
	status = options_take_line(settings, where, usage, argc, argv, PASS_CONF);
	if (!status && !settings->no_conf)
		status = conf_read(settings, where);
	return status ? status : options_take_line(settings, where, usage, argc, argv, PASS_REST);
}

void options_finish(struct settings *settings)
{
	for (uint32_t i = 0; i < settings->texts.count; i++)
		free(settings->texts.item[i]);
	free(settings->texts.item);
	free(settings->reports.item);
	free(settings->skews.item);
	free(settings->names.item);
	free(settings->cores.item);
	free(settings->pids.item);
	free(settings->for_library);
	free(settings->conf);
	baseline_finish(&settings->baseline);
	suppressions_finish(&settings->suppressions);
}
