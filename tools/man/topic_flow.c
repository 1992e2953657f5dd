/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps the text of a topic. Neighbours: topic_page.c and topic_text.c format letters and marks. */
#include <string.h>

#include "topic.h"

static struct {
	const struct topic_style *style;
	size_t column; /* of the current output line */
	bool started; /* the first line has begun */
	char word[512]; /* the current word, as it will be printed */
	size_t length, width; /* of the word: bytes and columns */
} flow;

static void end_line(void)
{
	if (flow.column)
		putchar('\n');
	flow.column = 0;
}

static void add(const char *text, size_t columns)
{
	size_t length = strlen(text);

	if (flow.length + length >= sizeof(flow.word))
		return;
	memcpy(flow.word + flow.length, text, length + 1);
	flow.length += length;
	flow.width += columns;
}

static void end_word(void)
{
	const struct topic_style *style = flow.style;
	const char *lead = flow.started ? "" : style->lead;

	if (!flow.length)
		return;
	flow.started = true;
	if (flow.column && flow.column + 1 + flow.width > style->width)
		end_line();
	if (flow.column)
		flow.column += (size_t)printf(" ");
	else
		flow.column +=
			(size_t)printf("%-*s%s", (int)style->indent, lead, style->first(flow.word));
	fputs(flow.word, stdout);
	flow.column += flow.width;
	if (style->sentences && strchr(".?!", flow.word[flow.length - 1]))
		end_line();
	flow.length = flow.width = 0;
}

static void add_mark(const struct topic_span *span, bool close)
{
	const char *mark = flow.style->mark(span, close);

	add(mark, *mark == '\\' ? 0 : strlen(mark));
}

void topic_flow(const struct topic_style *style, const char *text)
{
	struct topic_span span;

	flow.style = style;
	flow.started = false;
	while (topic_span(&text, &span)) {
		add_mark(&span, false);
		for (size_t i = 0; i < span.length; i++)
			if (span.text[i] == ' ')
				end_word();
			else
				add(style->letter(&span, span.text[i]), 1);
		add_mark(&span, true);
	}
	end_word();
	end_line();
}
