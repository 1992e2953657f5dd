/* SPDX-License-Identifier: Apache-2.0 */
/* Takes over the options of `mpsan run` that `mpsan report` has as well. */
#include "again.h"

#include <stdlib.h>
#include <string.h>

struct words {
	ARRAY(char *) item;
};

static void put(struct words *words, char *word)
{
	*ARRAY_ADD(&words->item) = word;
}

static char **close_words(struct words *words)
{
	put(words, NULL);
	return words->item.item;
}

static void free_words(char **words)
{
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
}

/* The reports are named one by one, and only the final ones become a baseline. */
static bool is_taken_over(const struct option_def *row)
{
	return row->where & OPT_REPORT && strcmp(row->name, "report") &&
	       strcmp(row->name, "write-baseline");
}

static void put_options(struct words *words, char **argv, int end)
{
	for (int at = 1; at < end && strcmp(argv[at], "--"); at++) {
		const char *name = argv[at] + 2, *equals = strchrnul(name, '=');
		const struct option_def *row = options_find(name, equals - name, OPT_RUN);
		bool has_value = !*equals && !option_is_optional(row);

		if (is_taken_over(row)) {
			put(words, text_copy(argv[at]));
			if (has_value)
				put(words, text_copy(argv[at + 1]));
		}
		at += has_value;
	}
}

static void put_report(struct words *words, const char *format, const char *file)
{
	put(words, text_copy("--report"));
	put(words, text_format("%s=%s", format, file));
}

static char **line(const struct settings *settings, char **argv, const char *dir, bool text)
{
	struct words words = {0};

	put(&words, text_copy("mpsan"));
	put(&words, text_copy("report"));
	put_options(&words, argv, settings->rest);
	for (uint32_t i = 0; i < settings->reports.count; i++)
		if (report_target_is_plain(&settings->reports.item[i]))
			put_report(&words, settings->reports.item[i].format->name,
				   settings->reports.item[i].file);
	if (text)
		put_report(&words, "text", "stderr");
	put(&words, text_copy("--"));
	put(&words, text_copy(dir));
	return close_words(&words);
}

void again_prepare(struct again *again, const struct settings *settings, char **argv,
		   const char *dir, bool text)
{
	struct words name = {0};

	for (uint32_t i = 0; i < settings->reports.count; i++)
		if (report_target_is_plain(&settings->reports.item[i]))
			put(&name, text_copy(settings->reports.item[i].file));
	*again = (struct again){line(settings, argv, dir, false),
				text ? line(settings, argv, dir, true) : NULL, close_words(&name)};
}

void again_finish(struct again *again)
{
	free_words(again->files);
	free_words(again->all);
	free_words(again->name);
}
