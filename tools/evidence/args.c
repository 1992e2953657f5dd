/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the arguments of a message and fills them in. */
#include "args.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/line.h"
#include "../base/util.h"

static const char *const names[] = {
#define ARG(name, meaning) #name,
#include "args.def"
#undef ARG
};

const char *arg_name(enum arg arg)
{
	return names[arg];
}

static void args_enter(json_t *args, const char *name, char *text)
{
	json_object_set_new(args, name, jsontext_of(text ? text : "?"));
	free(text);
}

void args_set(json_t *args, enum arg arg, char *text)
{
	args_enter(args, names[arg], text);
}

void args_set_field(json_t *args, const char *prefix, const char *field, char *text)
{
	AUTO_FREE char *name = text_format("%s%s", prefix, field);

	args_enter(args, name, text);
}

const char *args_text(const json_t *args, enum arg arg)
{
	return json_string_value(json_object_get(args, names[arg]));
}

json_t *args_fill(const json_t *args, const char *text)
{
	char *out = text_copy(""), *longer;
	json_t *string;

	while (*text) {
		const char *open = strchr(text, '{'), *shut = open ? strchr(open, '}') : NULL;
		size_t plain = shut ? (size_t)(open - text) : strlen(text);
		char name[32] = "";

		if (shut && (size_t)(shut - open) < sizeof(name))
			memcpy(name, open + 1, shut - open - 1);
		longer = text_format("%s%.*s%s", out, (int)plain, text,
				     shut ? json_string_value(json_object_get(args, name)) ?: "?" :
					    "");
		free(out);
		out = longer;
		text = shut ? shut + 1 : text + plain;
	}
	line_clean(out);
	string = jsontext_of(out);
	free(out);
	return string;
}
