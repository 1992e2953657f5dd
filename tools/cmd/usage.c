/* SPDX-License-Identifier: Apache-2.0 */
/* The usage line of each sub-command, for --help and error lines. */
#include "command.h"

#define COMMAND(name, arguments, help) const char usage_##name[] = #name " " arguments;
#include "commands.def"
#undef COMMAND
