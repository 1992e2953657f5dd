/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the arguments of a message and fills them in. */
#include "args.h"

#include <stdlib.h>
#include <string.h>

#include "../base/headline.h"
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

/* The text with its names filled in; the caller frees it. */
static char *filled(const json_t *args, const char *text)
{
	char *out = text_copy(""), *longer;

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
	return out;
}

static json_t *clean(char *text)
{
	json_t *string;

	line_clean(text);
	string = jsontext_of(text);
	free(text);
	return string;
}

json_t *args_fill(const json_t *args, const char *text)
{
	AUTO_FREE char *marked = filled(args, text);

	return clean(headline_whole(marked));
}

/* What is named in a head, though a message has its number alone. */
static char *with_names(const char *part)
{
	static const struct {
		const char *number, *name;
	} named[] = {{"process {pid}", "{named}"},
		     {"{dead}", "{dead_named}"},
		     {"{deadlock}", "{deadlock_named}"}};
	char *text = text_copy(part);

	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		char *at = strstr(text, named[i].number), *longer;

		if (!at)
			continue;
		longer = text_format("%.*s%s%s", (int)(at - text), text, named[i].name,
				     at + strlen(named[i].number));
		free(text);
		text = longer;
	}
	return text;
}

static char *fit(const json_t *args, const char *part, size_t columns)
{
	AUTO_FREE char *named = with_names(part), *text = filled(args, named);

	return headline_fit(text, columns);
}

void args_tell(const json_t *args, const char *message, const char *end, const char *severity,
	       json_t *finding)
{
	struct headline headline = headline_split(message);
	size_t columns = headline_left((unsigned long long)jsontext_number(finding, "pid"),
				       severity, jsontext_at(finding, "rule"));
	AUTO_FREE char *whole = filled(args, headline.whole), *plain = headline_whole(whole),
		       *what = fit(args, headline.what, columns),
		       *why = fit(args, headline.why, HEADLINE_REST - headline_columns(end));
	const char *rest = strstr(plain, "; ");

	if (!*why && rest) { /* the parts of a message that is one argument */
		AUTO_FREE char *first = text_format("%.*s", (int)(rest - plain), plain);

		free(what);
		free(why);
		what = headline_fit(first, columns);
		why = headline_fit(rest + 2, HEADLINE_REST - headline_columns(end));
	}
	json_object_set_new(finding, "message", clean(text_format("%s%s", plain, end)));
	json_object_set_new(finding, "what", clean(text_copy(what)));
	json_object_set_new(finding, "why", clean(text_format("%s%s", why, *why ? end : "")));
	headline_drop(&headline);
}
