/* SPDX-License-Identifier: Apache-2.0 */
/* A topic as a manual page of section 7, in mdoc. */
#include <ctype.h>
#include <string.h>

#include "../../include/mpsan_version.h"
#include "topic.h"

static void print_upper(const char *text)
{
	for (; *text; text++)
		putchar(toupper((unsigned char)*text));
}

static void begin(const char *name, const char *title)
{
	fputs(".Dd " MPSAN_RELEASED "\n.Dt MPSAN-", stdout);
	print_upper(name);
	printf(" 7\n.Os mpsan " MPSAN_VERSION "\n.Sh NAME\n.Nm mpsan-%s\n.Nd %s\n.Sh DESCRIPTION\n",
	       name, title);
}

static bool after_heading = true; /* the next paragraph needs no mark */

static void heading(const char *text)
{
	fputs(".Sh ", stdout);
	print_upper(text);
	putchar('\n');
	after_heading = true;
}

static const char *mark(const struct topic_span *span, bool close)
{
	return !span->strong ? "" : close ? "\\fR" : "\\fB";
}

/* The escape for a character that formatters would replace. */
static const char *literal(char letter)
{
	static const char special[] = "\\-'`^~";
	static const char *const names[] = {"\\e", "\\-", "\\(aq", "\\(ga", "\\(ha", "\\(ti"};
	static char plain[2];
	const char *found = strchr(special, letter);

	plain[0] = letter;
	return found && letter ? names[found - special] : plain;
}

static const char *letter(const struct topic_span *span, char one)
{
	static char plain[2];

	plain[0] = one;
	return span->code || one == '\\' ? literal(one) : plain;
}

/* The prefix for a word that would be a control line. */
static const char *first(const char *word)
{
	return *word == '.' || *word == '\'' ? "\\&" : "";
}

static const struct topic_style style = {0, 76, "", true, mark, letter, first};

static void paragraph(const char *text)
{
	fputs(after_heading ? "" : ".Pp\n", stdout);
	after_heading = false;
	topic_flow(&style, text);
}

static void list(enum topic_list kind)
{
	static const char *const start[] = {".El", ".Bl -bullet", ".Bl -tag -width Ds"};

	puts(start[kind]);
	after_heading = false;
}

static void item(const char *term, const char *text)
{
	static struct topic_style tag = {0, 1000, "", false, mark, letter, first};

	fputs(term ? ".It " : ".It\n", stdout);
	if (term)
		topic_flow(&tag, term);
	topic_flow(&style, text);
}

static void code(const char *line)
{
	static bool inside;

	if (!line) {
		inside = !inside;
		puts(inside ? ".Bd -literal -offset indent" : ".Ed");
		after_heading = false;
		return;
	}
	fputs(first(line), stdout);
	for (; *line; line++)
		fputs(literal(*line), stdout);
}

static void end(void)
{
	puts(".Sh SEE ALSO\n.Xr mpsan 1 ,\n.Xr libmpsan 7");
}

const struct topic_writer topic_page = {begin, heading, paragraph, list, item, code, end};
