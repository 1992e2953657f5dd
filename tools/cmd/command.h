/* SPDX-License-Identifier: Apache-2.0 */
/* The sub-commands: each takes its own argv (argv[0] is its name) and returns the exit status. */
#pragma once

#include <stdbool.h>

#define COMMAND(name, arguments, help) int cmd_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND

#define COMMAND(name, arguments, help) extern const char usage_##name[];
#include "commands.def"
#undef COMMAND

/* Prints how to use a command; returns 0. */
int usage_print(const char *usage);
/* Whether --help or -h is among the arguments; prints it then. */
bool usage_asked(int argc, char **argv, const char *usage);
