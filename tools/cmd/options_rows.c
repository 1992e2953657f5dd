/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of mpsan_options.def: what the value of each option does to the settings. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/mpsan_log.h"
#include "options.h"

static char *set_number(const char *name, const char *value, unsigned long max,
			unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || *number > max)
		return text_format("--%s %s: expected a number from 0 to %lu", name, value, max);
	return NULL;
}

static char *set_report(struct settings *settings, const char *value)
{
	struct report_target target;
	char *wrong = report_target_parse(&target, value);

	if (wrong)
		return wrong;
	if (!settings->is_conf && settings->conf_reports)
		settings->reports.count = settings->conf_reports = 0;
	settings->conf_reports += settings->is_conf;
	*ARRAY_ADD(&settings->reports) = target;
	return NULL;
}

static char *set_fail_on(struct settings *settings, const char *value)
{
	if (!strcmp(value, "never"))
		settings->fail_on = GRADE_OFF;
	else if (!grade_parse(value, &settings->fail_on) || settings->fail_on == GRADE_OFF)
		return text_format("--fail-on %s: no such level; use error, warning, note or never",
				   value);
	return NULL;
}

static char *set_exit_code(struct settings *settings, const char *value)
{
	unsigned long number = 0;
	char *wrong = set_number("exit-code", value, 255, &number);

	settings->exit_code = (int)number;
	return wrong;
}

static char *set_rule(struct settings *settings, const char *value)
{
	return grades_rule(&settings->grades, value);
}

static char *set_policy(struct settings *settings, const char *value)
{
	return grades_policy(&settings->grades, value);
}

static char *set_suppressions(struct settings *settings, const char *value)
{
	return suppressions_read(&settings->suppressions, value);
}

static char *set_on_deadlock(struct settings *settings, const char *value)
{
	static const char *const action[] = {
		[ON_DEADLOCK_REPORT] = "report",
		[ON_DEADLOCK_KILL] = "kill",
		[ON_DEADLOCK_KILL_HOPELESS] = "kill-hopeless",
	};

	for (unsigned i = 0; i < sizeof(action) / sizeof(*action); i++) {
		if (strcmp(value, action[i]))
			continue;
		settings->on_deadlock = (enum on_deadlock)i;
		return NULL;
	}
	return text_format("--on-deadlock %s: no such action; use report, kill or kill-hopeless",
			   value);
}

static char *set_hang_after(struct settings *settings, const char *value)
{
	unsigned long number = 0;
	AUTO_FREE char *wrong = set_number("hang-after", value, INT_MAX, &number);

	settings->hang_after = (unsigned)number;
	if (!wrong)
		return NULL;
	return text_format("--hang-after %s: expected a whole number of seconds, or 0 for never",
			   value);
}

static char *set_dir(struct settings *settings, const char *value)
{
	settings->dir = *value ? value : NULL;
	return *value ? NULL : text_copy("--dir: missing directory");
}

static char *set_skew(struct settings *settings, const char *value)
{
	struct host_skew skew;
	char *wrong = host_skew_parse(&skew, value);

	if (!wrong)
		*ARRAY_ADD(&settings->skews) = skew;
	return wrong;
}

static char *set_launcher(struct settings *settings, const char *value)
{
	settings->launcher = value;
	return NULL;
}

static char *set_baseline(struct settings *settings, const char *value)
{
	if (settings->baseline.file && !(settings->conf_baseline && !settings->is_conf))
		return text_format(
			"--baseline %s: only one baseline is allowed, and %s is given already; merge the files",
			value, settings->baseline.file);
	if (settings->is_conf && settings->write_baseline && access(value, F_OK) && errno == ENOENT)
		return NULL; /* it will be created */
	baseline_finish(&settings->baseline);
	settings->conf_baseline = settings->is_conf;
	return baseline_read(&settings->baseline, value);
}

static char *set_write_baseline(struct settings *settings, const char *value)
{
	settings->write_baseline = value;
	return NULL;
}

static char *hand_over(struct settings *settings, const char *name, const char *value)
{
	char *longer = text_format("%s%s%s=%s", settings->for_library ? settings->for_library : "",
				   settings->for_library ? ":" : "", name, value);

	free(settings->for_library);
	settings->for_library = longer;
	return NULL;
}

/*
 * Checks a number of bytes with an optional suffix k, M or G. Returns NULL or an error that names
 * the option `what`.
 */
static char *wrong_bytes(const char *what, const char *value)
{
	size_t digits = strspn(value, "0123456789");

	if (digits && digits <= 15 &&
	    (!value[digits] || (strchr("kMG", value[digits]) && !value[digits + 1])))
		return NULL;
	return text_format("--%s %s: expected a number of bytes, optionally with suffix k, M or G",
			   what, value);
}

static char *set_auto_export(struct settings *settings, const char *value)
{
	char *wrong = value ? wrong_bytes("auto-export", value) : NULL;

	return wrong ? wrong : hand_over(settings, "auto-export", value ? value : "0");
}

/* Of a value that wrong_bytes() accepts. */
static unsigned long long bytes_of(const char *value)
{
	char *suffix;
	unsigned long long number = strtoull(value, &suffix, 10);

	return number << (*suffix == 'k' ? 10 : *suffix == 'M' ? 20 : *suffix == 'G' ? 30 : 0);
}

static char *set_log_max(struct settings *settings, const char *value)
{
	char *wrong = wrong_bytes("log-max", value);

	if (!wrong && bytes_of(value) < MPSAN_CHUNK)
		return text_format("--log-max %s: too small for a log; expected at least %uk",
				   value, MPSAN_CHUNK >> 10);
	return wrong ? wrong : hand_over(settings, "log-max", value);
}

static char *set_log_total(struct settings *settings, const char *value)
{
	char *wrong = wrong_bytes("log-total", value);

	settings->log_total = wrong ? 0 : bytes_of(value);
	return wrong ? wrong : hand_over(settings, "log-total", value);
}

static char *set_print(struct settings *settings, const char *value)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return text_format("--print %s: expected yes or no", value);
	return hand_over(settings, "print", value);
}

static char *set_join(struct settings *settings, const char *value)
{
	if (strcmp(value, "only") && strcmp(value, "make"))
		return text_format("--join %s: expected only or make", value);
	return hand_over(settings, "join", value);
}

static char *set_level(struct settings *settings, const char *value)
{
	settings->forks_only = !strcmp(value, "forks");
	if (!settings->forks_only && strcmp(value, "full"))
		return text_format("--level %s: no such level; use full or forks", value);
	return hand_over(settings, "level", value);
}

static char *set_exceptions(struct settings *settings, const char *value)
{
	if (strcmp(value, "full") && strcmp(value, "type") && strcmp(value, "off"))
		return text_format("--exceptions %s: expected full, type or off", value);
	settings->exceptions = *value == 'f' ? CPYTHON_TELL_ALL :
			       *value == 't' ? CPYTHON_TELL_TYPE :
					       CPYTHON_TELL_NOTHING;
	return hand_over(settings, "exceptions", value);
}

static char *set_lock_order(struct settings *settings, const char *value)
{
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return text_format("--lock-order %s: expected yes or no", value);
	return hand_over(settings, "lock-order", value);
}

static char *set_restore_preload(struct settings *settings, const char *value)
{
	(void)value;
	return hand_over(settings, "restore-preload", "yes");
}

static char *set_conf(struct settings *settings, const char *value)
{
	free(settings->conf);
	settings->conf = text_copy(value);
	return NULL;
}

static char *set_verbose(struct settings *settings, const char *value)
{
	(void)value;
	settings->view.verbose = true;
	return NULL;
}

static char *set_practices(struct settings *settings, const char *value)
{
	(void)value;
	settings->view.practices = true;
	return NULL;
}

static char *set_color(struct settings *settings, const char *value)
{
	static const char *const when[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};

	for (unsigned i = 0; i < sizeof(when) / sizeof(*when); i++)
		if (!strcmp(value, when[i])) {
			settings->view.colour = i;
			return NULL;
		}
	return text_format("--color %s: expected auto, always or never", value);
}

static char *set_no_conf(struct settings *settings, const char *value)
{
	(void)value;
	settings->no_conf = true;
	return NULL;
}

static char *set_name(struct settings *settings, const char *value)
{
	if (!*value)
		return text_copy("--name: expected a part of a command line");
	*ARRAY_ADD(&settings->names) = value;
	return NULL;
}

static char *set_core(struct settings *settings, const char *value)
{
	*ARRAY_ADD(&settings->cores) = value;
	return NULL;
}

static char *set_exe(struct settings *settings, const char *value)
{
	settings->exe = value;
	return NULL;
}

static char *set_tree(struct settings *settings, const char *value)
{
	(void)value;
	settings->tree_only = true;
	return NULL;
}

static char *set_pid(struct settings *settings, const char *value)
{
	*ARRAY_ADD(&settings->pids) = value;
	return NULL;
}

static char *set_watch(struct settings *settings, const char *value)
{
	(void)value;
	settings->watch = true;
	return NULL;
}

static const struct option_def rows[] = {
#define OPTION(id, name, argument, preset, where, help) \
	{name, argument, preset, where, help, set_##id},
#include "../../include/mpsan_options.def"
#undef OPTION
};
#define ROWS (sizeof(rows) / sizeof(*rows))

const struct option_def *options_row(size_t number)
{
	return number < ROWS ? &rows[number] : NULL;
}

bool option_is_flag(const struct option_def *row)
{
	return !*row->argument;
}

const struct option_def *options_find(const char *name, size_t length, int where)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].where & where && strlen(rows[i].name) == length &&
		    !strncmp(rows[i].name, name, length))
			return &rows[i];
	return NULL;
}
