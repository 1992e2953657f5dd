/* SPDX-License-Identifier: Apache-2.0 */
/* A topic as plain text of 80 columns, for `mpsan help TOPIC`. */
#include <string.h>

#include "topic.h"

static void begin(const char *name, const char *title)
{
	printf("mpsan-%s: %s\n", name, title);
}

static void heading(const char *text)
{
	printf("\n%s\n", text);
}

/* Quotes marked text of several words and bare punctuation; other text needs no quotes. */
static const char *mark(const struct topic_span *span, bool close)
{
	(void)close;
	return span->code && (memchr(span->text, ' ', span->length) || span->length == 1) ? "'" :
											    "";
}

static const char *letter(const struct topic_span *span, char one)
{
	static char plain[2];

	(void)span;
	plain[0] = one;
	return plain;
}

static const char *first(const char *word)
{
	(void)word;
	return "";
}

static void print(unsigned indent, const char *lead, const char *text)
{
	topic_flow(&(struct topic_style){indent, 80, lead, false, mark, letter, first}, text);
}

static void paragraph(const char *text)
{
	putchar('\n');
	print(2, "", text);
}

static void list(enum topic_list kind)
{
	fputs(kind ? "\n" : "", stdout);
}

static void item(const char *term, const char *text)
{
	if (!term) {
		print(4, "  - ", text);
		return;
	}
	print(2, "", term);
	print(6, "", text);
}

static void code(const char *line)
{
	static bool inside;

	if (!line) {
		inside = !inside;
		fputs(inside ? "\n" : "", stdout);
		return;
	}
	printf(*line == '\n' ? "\n" : "    %s", line);
}

static void end(void)
{
}

const struct topic_writer topic_text = {begin, heading, paragraph, list, item, code, end};
