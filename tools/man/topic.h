/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of topics/: Markdown of a few kinds of blocks, read by topic.c and written as a manual page
 * (topic_page.c) or as the text of `mpsan help` (topic_text.c).
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum topic_list { LIST_NONE, LIST_BULLETS, LIST_TERMS };

/* Writes each kind of block to standard output. Texts still contain their `code` and **terms**. */
struct topic_writer {
	void (*begin)(const char *name, const char *title);
	void (*heading)(const char *text);
	void (*paragraph)(const char *text);
	/* `kind` of the list that begins; LIST_NONE: the list has ended. */
	void (*list)(enum topic_list kind);
	void (*item)(const char *term, const char *text); /* `term` is NULL in a bullet list */
	void (*code)(
		const char *
			/* one line with its newline; NULL before the first and after the last */
			line);
	void (*end)(void);
};
extern const struct topic_writer topic_page, topic_text;

/* A part of a text with one kind of mark. */
struct topic_span {
	const char *text;
	size_t length;
	bool strong; /* `code` or **term** */
	bool code;
};
/*
 * The next part at *at, without its marks; false at the end. Of a [text](link) only the text is
 * returned.
 */
bool topic_span(const char **at, struct topic_span *span);

/* How a text is formatted. */
struct topic_style {
	unsigned indent, width; /* in columns; the width includes the indent */
	const char *lead; /* replaces the first line's indent */
	bool sentences; /* each begins a line, as mdoc requires */
	const char *(*mark)(const struct topic_span *span,
			    bool close); /* around a part; escapes take no column */
	const char *(*letter)(const struct topic_span *span, char letter);
	const char *(*first)(const char *word); /* prefix of a line that begins with `word` */
};
/* Prints a text as lines. */
void topic_flow(const struct topic_style *style, const char *text);

/*
 * Reads a page; false, after an error line, if it contains something unknown or its title is not
 * its row's.
 */
bool topic_expand(FILE *in, const char *file, const struct topic_writer *writer);
