/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a page of topics/: `# mpsan-NAME: title`, `## section`, paragraphs, lists of `- `, fenced
 * code. A list whose items begin with `code`, `code`: or **term**: is a list of terms. Anything
 * else is a build error. Neighbours: topic_page.c, topic_text.c.
 */
#include "topic.h"

#include <string.h>

#include "tables.h"

static struct {
	const struct topic_writer *writer;
	enum topic_list list;
	bool in_item, in_code;
	char text[8192]; /* of the current paragraph or item */
} topic;

/* The length of a marked text, up to `close`; 0 if it is not closed. */
static size_t enclosed(const char *text, const char *close)
{
	const char *end = strstr(text, close);

	return end ? (size_t)(end - text) : 0;
}

static bool marked(const char **at, struct topic_span *span)
{
	bool code = **at == '`', term = !strncmp(*at, "**", 2), link = **at == '[';
	const char *close = code ? "`" : term ? "**" : "](", *text = *at + (term ? 2 : 1);
	size_t length = code || term || link ? enclosed(text, close) : 0;

	if (!length)
		return false;
	*span = (struct topic_span){text, length, code || term, code};
	*at = text + length + strlen(close);
	if (link)
		*at += strcspn(*at, ")") + 1;
	return true;
}

bool topic_span(const char **at, struct topic_span *span)
{
	const char *start = *at;

	if (!*start)
		return false;
	if (marked(at, span))
		return true;
	*at += 1 + strcspn(start + 1, "`*[");
	*span = (struct topic_span){start, (size_t)(*at - start), false, false};
	return true;
}

static void set_list(enum topic_list kind)
{
	if (topic.list != kind) {
		if (topic.list)
			topic.writer->list(LIST_NONE);
		if (kind)
			topic.writer->list(kind);
	}
	topic.list = kind;
}

/* Splits an item's terms off and returns the rest; NULL if it begins with none. */
static char *split_term(char *item)
{
	const char *at = item;
	struct topic_span span;
	char *text;

	while (topic_span(&at, &span) && span.strong && !strncmp(at, ", ", 2))
		at += 2;
	if (!span.strong || strncmp(at, ": ", 2))
		return NULL;
	text = (char *)at + 2;
	text[-2] = '\0';
	return text;
}

static void flush_text(void)
{
	char *text;

	if (!*topic.text)
		return;
	if (topic.in_item) {
		text = split_term(topic.text);
		set_list(text ? LIST_TERMS : LIST_BULLETS);
		topic.writer->item(text ? topic.text : NULL, text ? text : topic.text);
	} else {
		set_list(LIST_NONE);
		topic.writer->paragraph(topic.text);
	}
	topic.in_item = false;
	*topic.text = '\0';
}

static bool add_text(const char *line)
{
	size_t length = strlen(topic.text), more = strlen(line);

	if (length + more + 2 > sizeof(topic.text))
		return false;
	if (length)
		topic.text[length++] = ' ';
	memcpy(topic.text + length, line, more + 1);
	return true;
}

static void fence(void)
{
	flush_text();
	set_list(LIST_NONE);
	topic.writer->code(NULL);
	topic.in_code = !topic.in_code;
}

/* Takes a line outside of code, without its newline. False if its kind is unknown. */
static bool take_line(char *line)
{
	if (!*line) {
		flush_text();
		return true;
	}
	if (!strncmp(line, "## ", 3)) {
		flush_text();
		set_list(LIST_NONE);
		topic.writer->heading(line + 3);
		return true;
	}
	if (!strncmp(line, "- ", 2)) {
		flush_text();
		topic.in_item = true;
		return add_text(line + 2);
	}
	if (topic.in_item)
		return !strncmp(line, "  ", 2) && line[2] != ' ' && add_text(line + 2);
	return !strchr("#|>*- \t", *line) && add_text(line);
}

static bool is_plain(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line >= 0x7f || *line == '\t')
			return false;
	return true;
}

static bool next_line(char *line)
{
	if (!is_plain(line))
		return false;
	if (!strcmp(line, "```\n")) {
		fence();
		return true;
	}
	if (topic.in_code) {
		topic.writer->code(line);
		return true;
	}
	line[strcspn(line, "\n")] = '\0';
	return take_line(line);
}

/* Checks that the first line has the title of the topic's row. */
static bool begin(const char *line)
{
	char wanted[256];

	for (const struct named_row *row = table_topics; row->name; row++) {
		snprintf(wanted, sizeof(wanted), "# mpsan-%s: %s\n", row->name, row->help);
		if (!strcmp(line, wanted)) {
			topic.writer->begin(row->name, row->help);
			return true;
		}
	}
	return false;
}

bool topic_expand(FILE *in, const char *file, const struct topic_writer *writer)
{
	char line[1024];
	unsigned number = 1;
	bool good;

	topic.writer = writer;
	good = fgets(line, sizeof(line), in) && begin(line);
	if (!good) {
		fprintf(stderr, "expand: %s: the title does not match a row of topics.def\n", file);
		return false;
	}
	while (good && fgets(line, sizeof(line), in)) {
		number++;
		good = next_line(line);
	}
	if (!good || topic.in_code) {
		fprintf(stderr, "expand: %s:%u: not understood: %.*s\n", file, number,
			(int)strcspn(line, "\n"), line);
		return false;
	}
	flush_text();
	set_list(LIST_NONE);
	writer->end();
	return true;
}
