/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses /proc/PID/smaps, piece by piece and without libc, and adds up the fields of each mapping.
 */
#include "pages.h"

static uint64_t pages_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t next_number(const char **text)
{
	uint64_t n = 0;

	while (**text && (**text < '0' || **text > '9'))
		++*text;
	for (; **text >= '0' && **text <= '9'; ++*text)
		n = n * 10 + (uint64_t)(**text - '0');
	return n;
}

/*
 * Adds a mapping to the sums. Clean anonymous pages were released by the process (MADV_FREE): they
 * count as shared.
 */
static void end_mapping(struct pages *pages)
{
	uint64_t own = pages_least(pages->anonymous, pages->dirty), common = pages->anonymous - own;

	if (pages->is_private) {
		pages->common += common + pages->swapped;
		pages->own += less(own, less(pages->huge, common));
	}
	pages->anonymous = pages->dirty = pages->swapped = pages->huge = 0;
}

/* "Name:    NUMBER kB" */
static bool line_has(const char *line, const char *name, uint64_t *bytes)
{
	while (*name && *line == *name)
		line++, name++;
	if (*name)
		return false;
	*bytes = next_number(&line) << 10;
	return true;
}

/*
 * Takes one line: "START-END rwxp …" starts a mapping; names of fields start with a capital letter.
 */
static void end_line(struct pages *pages)
{
	const char *c = pages->line;

	if (*c >= 'A' && *c <= 'Z') {
		(void)(line_has(c, "Anonymous:", &pages->anonymous) ||
		       line_has(c, "Private_Dirty:", &pages->dirty) ||
		       line_has(c, "Swap:", &pages->swapped) ||
		       line_has(c, "AnonHugePages:", &pages->huge));
		return;
	}
	end_mapping(pages);
	while (*c && *c != ' ')
		c++;
	pages->is_private = c[0] && c[1] && c[2] && c[3] && c[4] == 'p';
}

void pages_read(struct pages *pages, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] != '\n') {
			if (pages->filled + 1 < sizeof(pages->line))
				pages->line[pages->filled++] = text[i];
			continue;
		}
		pages->line[pages->filled] = '\0';
		pages->filled = 0;
		end_line(pages);
	}
	if (!bytes)
		end_mapping(pages);
}

uint64_t pages_copied(const struct pages *pages, const struct pages_bounds *bounds)
{
	uint64_t gone = less(bounds->inherited, pages->common);

	gone = less(gone, less(bounds->inherited, bounds->parents));
	return pages_least(pages_least(gone, pages->own), bounds->given);
}

uint64_t pages_anonymous(const char *statm)
{
	uint64_t resident, shared;

	next_number(&statm);
	resident = next_number(&statm);
	shared = next_number(&statm);
	return less(resident, shared) * PAGES_BYTES;
}
