/* SPDX-License-Identifier: Apache-2.0 */
/* See headline.h. */
#include "headline.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "utf8.h"
#include "util.h"

#define ELLIPSIS "…"
#define FILE_LEAST 6u /* and of a file's name */
#define TEXT_LEAST 12u /* columns of an exception's text that are kept */

/* Removes `bytes` at `at`. */
static void cut(char *at, size_t bytes)
{
	memmove(at, at + bytes, strlen(at + bytes) + 1);
}

static void drop_char(char *text, char one)
{
	char *to = text;

	for (; *text; text++)
		if (*text != one)
			*to++ = *text;
	*to = '\0';
}

static void mark_brackets(char *text)
{
	for (; *text; text++)
		if (*text == '[')
			*text = HEADLINE_OPEN;
		else if (*text == ']')
			*text = HEADLINE_SHUT;
}

/* Where the first part of a text without bars ends; its end if it has only one. */
static const char *end_of_first(const char *text)
{
	for (const char *at = text; *at; at++)
		if ((*at == ':' || *at == ';') && at[1] == ' ')
			return at;
	return text + strlen(text);
}

struct headline headline_split(const char *text)
{
	struct headline headline = {.whole = text_copy(text)};
	const char *bar = strchr(text, '|'), *second = bar ? strchr(bar + 1, '|') : NULL;
	const char *end = second ? bar : end_of_first(text);
	const char *why = second ? second + 1 : end + strspn(end, ":; ");

	headline.what = text_format("%.*s", (int)(end - text), text);
	headline.why = text_copy(why);
	if (second)
		drop_char(headline.whole, '|');
	mark_brackets(headline.whole);
	mark_brackets(headline.what);
	mark_brackets(headline.why);
	return headline;
}

size_t headline_left(unsigned long long pid, const char *severity, const char *rule)
{
	return HEADLINE_COLUMNS -
	       (size_t)snprintf(NULL, 0, "==%llu== mpsan: %s: %s: ", pid, severity, rule);
}

void headline_drop(struct headline *headline)
{
	free(headline->what);
	free(headline->why);
	free(headline->whole);
}

char *headline_whole(const char *marked)
{
	char *text = text_copy(marked);

	drop_char(text, HEADLINE_OPEN);
	drop_char(text, HEADLINE_SHUT);
	return text;
}

size_t headline_columns(const char *text)
{
	size_t columns = 0, length;

	for (; *text; text += length, columns++)
		utf8_decode(text, &length);
	return columns;
}

/* Whether it fits, as far as one of `ends`. */
static bool fits(const char *marked, const char *ends, size_t columns)
{
	AUTO_FREE char *part = text_format("%.*s", (int)strcspn(marked, ends), marked),
		       *whole = headline_whole(part);

	return headline_columns(whole) <= columns;
}

/* At each `head` drops what is behind its first `kept` bytes, through the next parenthesis. */
static void drop_each(char *text, const char *head, size_t kept)
{
	for (char *at = strstr(text, head), *shut; at; at = strstr(at + kept, head)) {
		shut = strchr(at, ')');
		if (!shut)
			return;
		cut(at + kept, (size_t)(shut + 1 - at) - kept);
	}
}

/* Drops ", made at PLACE" of each lock. */
static void drop_origins(char *text)
{
	drop_each(text, ", made at ", 0);
}

/* Drops what is in the last pair of marks; false: there is none. */
static bool drop_last_group(char *text)
{
	char *open = strrchr(text, HEADLINE_OPEN),
	     *shut = open ? strchr(open, HEADLINE_SHUT) : NULL;

	if (!shut)
		return false;
	cut(open, (size_t)(shut + 1 - open));
	return true;
}

/* Whether "(FILE:LINE)" begins here, behind a name. */
static bool is_line(const char *open)
{
	size_t length = strcspn(open + 1, " ()"), digits = 0;

	while (digits < length && isdigit((unsigned char)open[length - digits]))
		digits++;
	return open[1 + length] == ')' && digits && open[length - digits] == ':';
}

/* "work (job.py:9)" becomes "job.py:9". */
static void drop_functions(char *text)
{
	for (char *open = strchr(text, '('); open; open = strchr(open, '(')) {
		char *name = open - 1;

		if (!is_line(open) || open - text < 2 || *name != ' ') {
			open++;
			continue;
		}
		while (name > text && name[-1] != ' ')
			name--;
		cut(strchr(open, ')'), 1);
		cut(name, (size_t)(open + 1 - name));
		open = name;
	}
}

/* `Lock "a" (job.py, global)` becomes `Lock "a"`. */
static void drop_descriptions(char *text)
{
	drop_each(text, "\" (", 1);
}

/* `thread "a" (TID 7)` becomes `"a"`; the main thread of a process is that process. */
static void drop_kinds(char *text)
{
	static const char named[] = "thread \"", main_thread[] = "the main thread of ";

	for (char *at = strstr(text, named); at; at = strstr(at, named))
		cut(at, strlen(named) - 1);
	for (char *at = strstr(text, main_thread); at; at = strstr(at, main_thread))
		cut(at, strlen(main_thread));
	drop_each(text, "\" (TID ", 1);
}

/* Where the text of an exception ends, at its quote and parenthesis; NULL: nowhere. */
static char *end_of_text(char *text, char quote)
{
	const char shut[] = {quote, ')', '\0'};

	return strstr(text, shut);
}

/* The text behind so many columns. */
static char *behind(char *text, size_t columns)
{
	for (size_t length; *text && columns; text += length, columns--)
		utf8_decode(text, &length);
	return text;
}

/* Puts an ellipsis in the place of what is at least as long. */
static void elide(char *from, const char *to)
{
	memcpy(from, ELLIPSIS, strlen(ELLIPSIS));
	cut(from + strlen(ELLIPSIS), (size_t)(to - from) - strlen(ELLIPSIS));
}

/* Shortens the text of an exception by what is too much, `ValueError("abc…")`, or leaves it out if too little would be left. */
static void elide_text(char *text, size_t columns)
{
	size_t all = headline_columns(text), much = all + 1 - columns;
	char *open = all > columns ? strchr(text, '(') : NULL, *shut;

	while (open && !(open[1] == '"' || open[1] == '\''))
		open = strchr(open + 1, '(');
	shut = open ? end_of_text(open + 2, open[1]) : NULL;
	if (!shut)
		return;
	if (much < strlen(ELLIPSIS))
		much = strlen(ELLIPSIS);
	all = headline_columns(open + 2) - headline_columns(shut);
	if (all < much + TEXT_LEAST)
		cut(open, (size_t)(shut + 2 - open));
	else
		elide(behind(open + 2, all - much), shut);
}

/* Drops " (pid 7)" behind names: it stands before the line, or in the report. */
static void drop_pids(char *text)
{
	drop_each(text, " (pid ", 0);
}

/* Shortens the name of the last file by what is too much: "f (…long.py:3)". */
static void elide_file(char *text, size_t columns)
{
	size_t all = headline_columns(text), much = all + 1 - columns, length;
	char *line = all > columns ? strrchr(text, ':') : NULL, *file = line;

	if (!line || !isdigit((unsigned char)line[1]))
		return;
	while (file > text && !strchr(" (", file[-1]))
		file--;
	if (much < strlen(ELLIPSIS))
		much = strlen(ELLIPSIS);
	length = headline_columns(file) - headline_columns(line);
	if (length < much + FILE_LEAST)
		return;
	elide(file, behind(file, much));
}

/*
 * Ends the text at the last clause that fits, or else at a word: then it returns what stands for the rest. Better than at
 * a colon, which promises more, it ends at a semicolon.
 */
static const char *cut_end(char *text, size_t columns)
{
	char *at = text, *end = NULL, *colon = NULL, *word = text;
	size_t length;

	for (size_t column = 0; *at && column + 1 < columns; at += length, column++) {
		if (*at == ';' && at[1] == ' ' && column > columns / 3)
			end = at;
		if (*at == ':' && at[1] == ' ' && column > columns / 3)
			colon = at;
		if (*at == ' ')
			word = at;
		utf8_decode(at, &length);
	}
	end = end ?: colon;
	if (end) {
		*end = '\0';
		return "";
	}
	if (word > text)
		at = word;
	while (at > text && strchr(" ,:;", at[-1]))
		at--;
	*at = '\0';
	return ELLIPSIS;
}

/* Shortens names and places until it fits as far as one of `ends`, the least important first. */
static void shorten(char *text, const char *ends, size_t columns)
{
	static void (*const drops[])(char *) = {drop_origins, drop_kinds, drop_descriptions,
						drop_functions};

	for (size_t i = 0; i < sizeof(drops) / sizeof(*drops) && !fits(text, ends, columns); i++)
		drops[i](text);
}

/* Ends a text that is too long where it goes on with another statement, "; …" or ", and …", unless little is before that. */
static void drop_statements(char *text, size_t columns)
{
	static const char *const next[] = {"; ", ", and "};

	for (size_t i = 0; i < sizeof(next) / sizeof(*next); i++) {
		char *at = text, *last = NULL, *first = strstr(text, next[i]);

		for (; (at = strstr(at, next[i])) && at - text <= (long)columns; at++)
			last = at;
		last = last ?: first;
		if (headline_columns(text) > columns && last && last - text > (long)columns / 3)
			*last = '\0';
	}
}

char *headline_fit(const char *marked, size_t columns)
{
	AUTO_FREE char *text = text_copy(marked);
	char *whole;

	shorten(text, "", columns);
	while (!fits(text, "", columns) && drop_last_group(text))
		;
	whole = headline_whole(text);
	cut(whole, strspn(whole, " ,:;")); /* what the first group was followed by */
	drop_statements(whole, columns);
	elide_text(whole, columns);
	if (headline_columns(whole) > columns)
		drop_pids(whole);
	elide_file(whole, columns);
	if (headline_columns(whole) > columns)
		whole = text_join(whole, "", text_copy(cut_end(whole, columns)));
	return whole;
}

/* The first clauses of a fix, or else the first words that make sense by themselves. */
static char *first_of(const char *fix)
{
	const char *at = fix, *clause = NULL, *words = NULL;
	unsigned depth = 0;
	bool code = false;
	size_t length;

	for (size_t column = 0; *at && column <= HEADLINE_REST; at += length, column++) {
		code ^= *at == '`';
		if (!depth && !code && (*at == ';' || *at == ':') && at[1] == ' ')
			clause = at;
		if (!depth && !code && (!strncmp(at, ", ", 2) || !strncmp(at, " (", 2)))
			words = at;
		depth += *at == '(';
		depth -= *at == ')' && depth;
		utf8_decode(at, &length);
	}
	if (!*at)
		return text_copy(fix);
	at = clause ?: words ?: fix + strlen(fix);
	return text_format("%.*s", (int)(at - fix), fix);
}

char *headline_lines(const char *what, const char *why, const char *fix)
{
	AUTO_FREE char *short_fix = text_copy(fix), *clause = NULL, *first = text_copy(what),
		       *second = headline_fit(why, HEADLINE_REST), *third = NULL;

	shorten(short_fix, ";", HEADLINE_REST);
	clause = first_of(short_fix);
	third = headline_fit(clause, HEADLINE_REST);
	line_clean(first); /* names come from the program */
	line_clean(second);
	line_clean(third);
	return text_format("%s%s%s\n  → %s", first, *second ? "\n  " : "", second, third);
}
