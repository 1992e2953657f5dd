/*
 * The command `mpsan`: finds the sub-command in commands.def and hands over. Neighbours: cmd_*.c,
 * one each.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "report.h"

static const struct {
	const char *name;
	const char *usage;
	const char *help;
	int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, arguments, help) {#name, usage_##name, help, cmd_##name},
#include "commands.def"
#undef COMMAND
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

#define COMMAND(name, arguments, help) const char usage_##name[] = #name " " arguments;
#include "commands.def"
#undef COMMAND

static int print_help(FILE *out)
{
	fputs("mpsan, a multiprocessing sanitizer\n\n", out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  mpsan %-42s %s\n", commands[i].usage, commands[i].help);
	fputs("\n'mpsan COMMAND --help' shows the options of a command.\n", out);
	return out == stdout ? 0 : STATUS_USAGE;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return print_help(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print_help(stdout);
	if (!strcmp(argv[1], "--version")) {
		puts("mpsan " MPSAN_VERSION);
		return 0;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, argv[1]))
			return commands[i].run(argc - 1, argv + 1);
	return complain("unknown command %s; 'mpsan --help' names them", argv[1]);
}
