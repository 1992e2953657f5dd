/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of topics/: Markdown of a few kinds of blocks, read by topic.c and written as a manual page
 * (topic_page.c) or as the text of `mpsan help` (topic_text.c).
 */
#ifndef MPSAN_MAN_TOPIC_H
#define MPSAN_MAN_TOPIC_H

#include <stdbool.h>
#include <stdio.h>

enum topic_list { LIST_NONE, LIST_BULLETS, LIST_TERMS };

/* How each kind of block is written on standard output. Texts still have their `code` and **terms**. */
struct topic_writer {
	void (*begin)(const char *name, const char *title);
	void (*heading)(const char *text);
	void (*paragraph)(const char *text);
	/* `kind` of the list that follows; LIST_NONE: that the last one has ended. */
	void (*list)(enum topic_list kind);
	void (*item)(const char *term, const char *text); /* `term` is NULL in a list of bullets */
	void (*code)(
		const char *
			line); /* one line with its end; NULL before the first and behind the last */
	void (*end)(void);
};
extern const struct topic_writer topic_page, topic_text;

/* A piece of a text up to the next change of its kind. */
struct topic_span {
	const char *text;
	size_t length;
	bool strong; /* `code` or **term** */
	bool code;
};
/* The next piece at *at, without its marks; false at the end. Of a [text](link) only the text is given. */
bool topic_span(const char **at, struct topic_span *span);

/* How a text is set. */
struct topic_style {
	unsigned indent, width; /* in columns, the indent within the width */
	const char *lead; /* what the first line begins with in place of the indent */
	bool sentences; /* each begins a line, as mdoc wants it */
	const char *(*mark)(const struct topic_span *span,
			    bool close); /* around a piece; escapes take no column */
	const char *(*letter)(const struct topic_span *span, char letter);
	const char *(*first)(
		const char *word); /* what must stand before a line that begins with `word` */
};
/* Prints a text as lines. */
void topic_flow(const struct topic_style *style, const char *text);

/* Reads a page; false, after a complaint, when it has what is not understood or its title is not that of its row. */
bool topic_expand(FILE *in, const char *file, const struct topic_writer *writer);

#endif
