/* How each sub-command is called, for its --help and for complaints. */
#include "command.h"

#define COMMAND(name, arguments, help) const char usage_##name[] = #name " " arguments;
#include "commands.def"
#undef COMMAND
