/*
 * mpsan env: export lines for a program that something else starts (srun, torchrun, docker,
 * systemd). Neighbour: launch.h has the same variables for `mpsan run`.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "launch.h"
#include "options.h"

/* Quotes a value for sh. */
static void print_variable(const char *name, const char *value)
{
	printf("export %s='", name);
	for (; *value; value++) {
		if (*value == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*value);
	}
	puts("'");
}

int cmd_env(int argc, char **argv)
{
	struct launch_variable variables[LAUNCH_VARIABLES];
	struct settings settings;
	int status = options_parse(&settings, OPT_ENV, usage_env, argc, argv);
	char *library = status ? NULL : launch_find_library();

	if (!status && settings.rest < argc)
		status = complain("env: takes no argument %s; 'mpsan env --help' names the options",
				  argv[settings.rest]);
	else if (!status && !library)
		status = complain(
			"libmpsan.so is not beside this program nor in ../lib; install mpsan again");
	if (!status) {
		launch_environment(library, settings.dir, settings.for_library, false, variables);
		for (int i = 0; variables[i].name; i++) {
			print_variable(variables[i].name, variables[i].value);
			free(variables[i].value);
		}
	}
	free(library);
	options_finish(&settings);
	return status == OPTIONS_HELP ? 0 : status;
}
