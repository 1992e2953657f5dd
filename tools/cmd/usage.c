/* SPDX-License-Identifier: Apache-2.0 */
/* How to use each sub-command, for --help and error lines. */
#include <stdio.h>
#include <string.h>

#include "../base/wrap.h"
#include "command.h"

#define COMMAND(name, arguments, help) const char usage_##name[] = #name " " arguments;
#include "commands.def"
#undef COMMAND

static const struct {
	const char *usage, *help;
} rows[] = {
#define COMMAND(name, arguments, help) {usage_##name, help},
#include "commands.def"
#undef COMMAND
};

int usage_print(const char *usage)
{
	printf("usage: mpsan %s\n\n", usage);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].usage == usage)
			wrap_print(stdout, 0, rows[i].help);
	return 0;
}

bool usage_asked(int argc, char **argv, const char *usage)
{
	bool asked = false;

	for (int i = 1; i < argc; i++)
		asked |= !strcmp(argv[i], "--help") || !strcmp(argv[i], "-h");
	if (asked)
		usage_print(usage);
	return asked;
}
