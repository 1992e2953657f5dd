/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables as parts of manual pages, in mdoc. Neighbours: expand.h, tables.h; the text around
 * them is in *.in.
 */
#include <ctype.h>
#include <string.h>

#include "../cmd/options.h"
#include "expand.h"
#include "tables.h"

#define WIDTH 76u

/* A dash between two letters is a hyphen; all others are to be typed literally. */
static bool is_typed_dash(const char *word, size_t at, size_t length)
{
	return word[at] == '-' &&
	       (at == 0 || at + 1 == length || !isalnum((unsigned char)word[at - 1]) ||
		!isalnum((unsigned char)word[at + 1]) || !strncmp(word, "--", 2));
}

/* One word, without control lines, escapes, and dashes that would become hyphens. */
static void print_word(const char *word, size_t length, bool first)
{
	if (first && (*word == '.' || *word == '\''))
		fputs("\\&", stdout);
	for (size_t i = 0; i < length; i++)
		if (word[i] == '\\')
			fputs("\\e", stdout);
		else if (is_typed_dash(word, i, length))
			fputs("\\-", stdout);
		else
			putchar(word[i]);
}

/* A paragraph, with each sentence on a line of its own as mdoc requires. */
static void print_text(const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t length = strcspn(text, " ");
		bool ends = length > 1 && strchr(".?!", text[length - 1]) && text[length];

		if (column && column + 1 + length > WIDTH)
			column = !putchar('\n');
		if (column)
			putchar(' ');
		print_word(text, length, !column);
		column += length + 1;
		if (ends)
			column = !putchar('\n');
		text += length + strspn(text + length, " ");
	}
	if (column)
		putchar('\n');
}

/* A text as macro arguments: macros interpret each word of their line. */
static void print_argument(const char *text)
{
	fputs("\\&", stdout);
	print_word(text, strlen(text), false);
}

void mdoc_synopsis(void)
{
	for (const struct command_row *row = table_commands; row->name; row++) {
		printf(".Nm\n.Cm %s\n", row->name);
		print_text(row->arguments);
	}
	puts(".Nm\n.Cm help\n[COMMAND | TOPIC]\n.Nm\n.Fl \\-version");
}

void mdoc_commands(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct command_row *row = table_commands; row->name; row++) {
		printf(".It Cm %s ", row->name);
		print_argument(row->arguments);
		putchar('\n');
		print_text(row->help);
	}
	puts(".El");
}

/* (run, report; default 66) */
static void print_places(const struct setting_row *row)
{
	const char *before = ".Pq Cm ";

	for (const struct place_row *place = table_places; place->name; place++)
		if (row->where & place->where) {
			printf("%s%s", before, place->name);
			before = " , ";
		}
	if (*row->preset)
		printf(" ; No default Ql %s", row->preset);
	putchar('\n');
}

void mdoc_options(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct setting_row *row = table_options; row->name; row++) {
		if (!(row->where & ~OPT_LIB))
			continue;
		printf(".It Fl \\-%s%s", row->name, takes_word(row) ? " Ar " : "");
		print_argument(row->argument);
		putchar('\n');
		print_text(row->help);
		print_places(row);
	}
	puts(".El");
}

void mdoc_library_options(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct setting_row *row = table_options; row->name; row++) {
		if (!(row->where & OPT_LIB))
			continue;
		printf(".It Ql %s=%s\n", row->name,
		       *row->argument == '[' ? "BYTES" : row->argument);
		print_text(row->help);
		if (*row->preset)
			printf(".Pq default Ql %s\n", row->preset);
	}
	puts(".El");
}

static void print_rows(const struct named_row *row)
{
	puts(".Bl -tag -width Ds");
	for (; row->name; row++) {
		printf(".It Cm %s\n", row->name);
		print_text(row->help);
	}
	puts(".El");
}

void mdoc_rules(void)
{
	print_rows(table_rules);
}

void mdoc_topics(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct named_row *row = table_topics; row->name; row++) {
		printf(".It Cm %s , Xr mpsan-%s 7\n", row->name, row->name);
		print_text(row->help);
	}
	puts(".El");
}

void mdoc_formats(void)
{
	print_rows(table_formats);
}

static void print_lower(const char *text)
{
	for (; *text; text++)
		putchar(*text == '_' ? '-' : tolower((unsigned char)*text));
}

void mdoc_policies(void)
{
	puts(".Bl -tag -width Ds");
	for (const struct policy_row *row = table_policies; row->policy; row++) {
		if (!row->grade) {
			printf(".It Cm %s\n", row->policy);
			print_text(row->help);
			continue;
		}
		puts(".br");
		if (row->rule) {
			fputs(".Cm ", stdout);
			print_lower(row->rule);
			fputs(" No : ", stdout);
		} else {
			fputs("no finding below ", stdout);
		}
		if (!strcmp(row->grade, "AS_FOUND"))
			fputs("as found", stdout);
		else
			print_lower(row->grade);
		putchar('\n');
	}
	puts(".El");
}
