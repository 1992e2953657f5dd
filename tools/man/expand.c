/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a template with its marks replaced from the tables: a manual page, a completion, or the
 * pkg-config file. A mark is alone on its line, as @name@; @version@, @bindir@ and the like may be
 * within a line. With --page or --text it makes a manual page, or the text of `mpsan help`, from a
 * page of topics/. Usage: expand TEMPLATE [NAME=VALUE...], expand --page|--text TOPIC.md.
 * Neighbours: tables.h, mdoc.c, words.c, topic.h.
 */
#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_version.h"
#include "expand.h"
#include "tables.h"
#include "topic.h"

static const struct {
	const char *name;
	void (*print)(void);
} blocks[] = {
	{"synopsis", mdoc_synopsis}, {"commands", mdoc_commands},
	{"options", mdoc_options},   {"library-options", mdoc_library_options},
	{"rules", mdoc_rules},	     {"formats", mdoc_formats},
	{"topics", mdoc_topics},     {"policies", mdoc_policies},
	{"words", words_tables},     {"descriptions", words_descriptions},
};

static const struct {
	const char *name, *library;
} counts[] = {{"hooks", NULL}, {"hooks-cuda", "libcuda"}, {"hooks-cudart", "libcudart"}};

/* False if there is no such name. */
static bool print_value(const char *name, size_t length, char **values)
{
	if (length == 7 && !strncmp(name, "version", length))
		return fputs(MPSAN_VERSION, stdout) >= 0;
	if (length == 8 && !strncmp(name, "released", length))
		return fputs(MPSAN_RELEASED, stdout) >= 0;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (strlen(counts[i].name) == length && !strncmp(counts[i].name, name, length))
			return printf("%u", table_hooks(counts[i].library)) > 0;
	for (; *values; values++)
		if (!strncmp(*values, name, length) && (*values)[length] == '=')
			return fputs(*values + length + 1, stdout) >= 0;
	return false;
}

static bool print_block(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (strlen(blocks[i].name) == length && !strncmp(blocks[i].name, name, length)) {
			blocks[i].print();
			return true;
		}
	return false;
}

/* The length of "@name@" at the beginning of a text; 0 if there is none. */
static size_t mark_length(const char *text)
{
	size_t name = *text == '@' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz-") : 0;

	return name && text[1 + name] == '@' ? name + 2 : 0;
}

/* False if it has an unknown mark. */
static bool expand_line(const char *line, char **values)
{
	size_t mark = mark_length(line);

	if (mark && line[mark] == '\n' && print_block(line + 1, mark - 2))
		return true;
	for (; *line; line += mark ? mark : 1) {
		mark = mark_length(line);
		if (!mark)
			putchar(*line);
		else if (!print_value(line + 1, mark - 2, values))
			return false;
	}
	return true;
}

static bool expand_template(FILE *in, const char *file, char **values)
{
	char *line = NULL;
	size_t room = 0;
	bool good = true;

	while (good && getline(&line, &room, in) >= 0)
		good = expand_line(line, values);
	if (!good)
		fprintf(stderr, "expand: %s: unknown mark in: %s", file, line);
	free(line);
	return good;
}

int main(int argc, char **argv)
{
	bool page = argc == 3 && !strcmp(argv[1], "--page"),
	     text = argc == 3 && !strcmp(argv[1], "--text");
	const char *file = page || text ? argv[2] : argc > 1 ? argv[1] : "no template";
	FILE *in = fopen(file, "re");
	bool good;

	if (!in) {
		fprintf(stderr, "expand: cannot read %s\n", file);
		return 1;
	}
	if (page || text)
		good = topic_expand(in, file, page ? &topic_page : &topic_text);
	else
		good = expand_template(in, file, argv + 2);
	fclose(in);
	return good && !fflush(stdout) ? 0 : 1;
}
