/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan env: prints `export` lines for a program that another program starts (srun, torchrun,
 * docker, systemd), and for some launchers how to start the job. Neighbours: launch.h sets the same
 * variables for `mpsan run`; launchers.def.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/line.h"
#include "../base/utf8.h"
#include "../supervise/launch.h"
#include "command.h"
#include "options.h"

struct launcher {
	const char *name;
	const char *directory;
	const char *text;
};

static const struct launcher launchers[] = {
#define LAUNCHER(name, directory, text) {#name, directory, text},
#include "launchers.def"
#undef LAUNCHER
	{0},
};

static const struct launcher *find_launcher(const char *name)
{
	const struct launcher *launcher = launchers;

	while (launcher->name && strcmp(launcher->name, name))
		launcher++;
	return launcher->name ? launcher : NULL;
}

/* What must not be printed (utf8.h) is made by printf when sh reads the line. */
static void print_unsafe(const char *text, size_t bytes)
{
	fputs("'\"$(printf '", stdout);
	while (bytes--)
		printf("\\%03o", (unsigned char)*text++);
	fputs("')\"'", stdout);
}

/* Prints the value quoted for sh. */
static void print_variable(const char *name, const char *value)
{
	size_t length;

	printf("export %s='", name);
	for (; *value; value += length) {
		int32_t code = utf8_decode(value, &length);

		if (code == '\'')
			fputs("'\\''", stdout);
		else if (utf8_is_unsafe(code) && code != '\n')
			print_unsafe(value, length);
		else
			fwrite(value, length, 1, stdout);
	}
	puts("'");
}

/* Makes the path absolute: the ranks of a job may have other working directories. */
static char *cmd_env_absolute(const char *dir)
{
	char here[PATH_MAX];

	if (*dir == '/' || !getcwd(here, sizeof(here)))
		return text_copy(dir);
	return text_format("%s/%s", here, dir);
}

/* The directory up to the first component that names a host, a rank, a job or a process. */
static char *common_part(const char *dir)
{
	char *part = text_copy(dir), *percent = strchr(part, '%');

	if (percent) {
		while (percent > part && *percent != '/')
			percent--;
		*percent = '\0';
	}
	return part;
}

static char *directory_for(const struct launcher *launcher, const char *given)
{
	char *dir = cmd_env_absolute(given ? given : "mpsan.sessions"), *below;

	if (strchr(dir, '%'))
		return dir;
	below = text_format("%s/%s", dir, launcher->directory);
	free(dir);
	return below;
}

static void print_text(const struct launcher *launcher, const char *library, const char *dir,
		       const char *options)
{
	char *common = common_part(dir), *self = cmd_env_absolute("mpsan");
	char real[PATH_MAX];

	if (launch_own_file(real)) {
		free(self);
		self = text_copy(real);
	}
	fputs("# ", stdout);
	for (const char *c = launcher->text; *c; c++) {
		if (*c == '@' && strchr("LDBM", c[1])) {
			c++;
			line_put(stdout, *c == 'L' ? library :
					 *c == 'D' ? dir :
					 *c == 'B' ? common :
						     self);
		} else if (*c == '\n' && c[1]) {
			fputs("\n# ", stdout);
		} else {
			putchar(*c);
		}
	}
	if (options) {
		fputs("# Besides LD_PRELOAD and MPSAN_DIR, pass on MPSAN_OPTIONS=", stdout);
		line_put(stdout, options);
		putchar('\n');
	}
	free(common);
	free(self);
}

static int print(const struct settings *settings, const struct launcher *launcher,
		 const char *library)
{
	AUTO_FREE char *dir = launcher	    ? directory_for(launcher, settings->dir) :
			      settings->dir ? text_copy(settings->dir) :
					      NULL;
	struct launch_variable variables[LAUNCH_VARIABLES];

	launch_environment(library, dir, settings->for_library, false, variables);
	for (int i = 0; variables[i].name; i++) {
		print_variable(variables[i].name, variables[i].value);
		free(variables[i].value);
	}
	if (launcher)
		print_text(launcher, library, dir, settings->for_library);
	return 0;
}

int cmd_env(int argc, char **argv)
{
	const struct launcher *launcher = NULL;
	struct settings settings;
	int status = options_parse(&settings, OPT_ENV, usage_env, argc, argv);
	AUTO_FREE char *library = status ? NULL : launch_find_library();

	if (!status && settings.launcher)
		launcher = find_launcher(settings.launcher);
	if (!status && settings.rest < argc)
		status = complain(
			"env: unexpected argument %s; 'mpsan env --help' lists the options",
			argv[settings.rest]);
	else if (!status && settings.launcher && !launcher)
		status = complain(
			"--launcher %s: unknown launcher; use torchrun, slurm, mpi or kubernetes",
			settings.launcher);
	else if (!status && !library)
		status = complain(
			"libmpsan.so is not beside this program nor in ../lib; reinstall mpsan");
	if (!status)
		status = print(&settings, launcher, library);
	options_finish(&settings);
	return status == OPTIONS_HELP ? 0 : status;
}
