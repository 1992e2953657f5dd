/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the command and the library, expanded from their .def files. */
#include "tables.h"

#include <string.h>

#include "../cmd/options.h"

const struct command_row table_commands[] = {
#define COMMAND(name, arguments, help) {#name, arguments, help},
#include "../cmd/commands.def"
#undef COMMAND
	{NULL, NULL, NULL},
};

const struct setting_row table_options[] = {
#define OPTION(id, name, argument, preset, where, help) {name, argument, preset, where, help},
#include "../../include/mpsan_options.def"
#undef OPTION
	{NULL, NULL, NULL, 0, NULL},
};

const struct named_row table_rules[] = {
#define RULE(id, slug, triggers, title, hazard, evidence, grading, fix, source) {slug, title},
#include "../../include/mpsan_rules.def"
#undef RULE
	{NULL, NULL},
};

const struct named_row table_formats[] = {
#define FORMAT(name, wants, help) {#name, help},
#include "../formats/formats.def"
#undef FORMAT
	{NULL, NULL},
};

const struct named_row table_launchers[] = {
#define LAUNCHER(name, directory, text) {#name, text},
#include "../cmd/launchers.def"
#undef LAUNCHER
	{NULL, NULL},
};

const struct named_row table_topics[] = {
#define TOPIC(name, title) {#name, title},
#include "../cmd/topics.def"
#undef TOPIC
	{NULL, NULL},
};

const struct policy_row table_policies[] = {
#define POLICY(name, help) {#name, NULL, NULL, help},
#define FLOOR(policy, grade) {#policy, NULL, #grade, NULL},
#define GRADE(policy, rule, grade) {#policy, #rule, #grade, NULL},
#define LEAST(policy, rule, grade) {#policy, #rule, "at least " #grade, NULL},
#include "../findings/policies.def"
#undef POLICY
#undef FLOOR
#undef GRADE
#undef LEAST
	{NULL, NULL, NULL, NULL},
};

const struct place_row table_places[] = {
	{"run", OPT_RUN},     {"attach", OPT_ATTACH}, {"report", OPT_REPORT},
	{"check", OPT_CHECK}, {"env", OPT_ENV},	      {NULL, 0},
};

unsigned table_hooks(const char *library)
{
	static const char *const libraries[] = {
#define HOOK(library, name, kind) #library,
#include "../../shim/hooks.def"
#undef HOOK
	};
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		count += !library || !strcmp(libraries[i], library);
	return count;
}
