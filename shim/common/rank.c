/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the variables of launchers, expands session directories, and bounds the host's clock. */
#include "rank.h"

#define NAME_MAX_BYTES 64

static const struct {
	const char *launcher, *rank, *world, *local, *job;
} rows[] = {
#define RANK(launcher, rank, world, local, job) {#launcher, rank, world, local, job},
#include "../../include/mpsan_ranks.def"
#undef RANK
};
#define ROWS (sizeof(rows) / sizeof(*rows))

bool rank_is_pattern(const char *text)
{
	for (; *text; text++)
		if (*text == '%' && (text[1] == 'h' || text[1] == 'r' || text[1] == 'j' ||
				     text[1] == 'p' || text[1] == '%'))
			return true;
	return false;
}

/* A rank's number + 1; 0 if the text is no number, or too large. */
static uint32_t rank_number_of(const char *text)
{
	uint64_t n = 0;

	if (!text || !*text)
		return 0;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || n > 100000000)
			return 0;
		n = n * 10 + (uint64_t)(*text - '0');
	}
	return (uint32_t)n + 1;
}

static uint32_t number_in(rank_get *get, const char *name)
{
	return *name ? rank_number_of(get(name)) : 0;
}

static size_t find_row(rank_get *get)
{
	size_t row = 0;

	while (row < ROWS && !number_in(get, rows[row].rank))
		row++;
	return row;
}

uint32_t rank_of(rank_get *get)
{
	size_t row = find_row(get);

	return row < ROWS ? number_in(get, rows[row].rank) : 0;
}

/* The job's name, which another launcher than the one that numbers the process may have set. */
static const char *find_job(rank_get *get, size_t row)
{
	const char *job = row < ROWS && *rows[row].job ? get(rows[row].job) : NULL;

	for (size_t i = 0; i < ROWS && !(job && *job); i++)
		job = get(rows[i].job);
	return job && *job ? job : NULL;
}

static void copy(char *to, size_t bytes, const char *from)
{
	size_t n = 0;

	for (; from && from[n] && n + 1 < bytes; n++)
		to[n] = from[n];
	to[n] = '\0';
}

void rank_describe(struct mpsan_host *host, rank_get *get)
{
	size_t row = find_row(get);

	copy(host->job, sizeof(host->job), find_job(get, row));
	if (row == ROWS)
		return;
	copy(host->launcher, sizeof(host->launcher), rows[row].launcher);
	host->rank = number_in(get, rows[row].rank);
	host->world = number_in(get, rows[row].world);
	host->local = number_in(get, rows[row].local);
}

struct text {
	char *at, *end; /* a NUL always fits */
	bool whole;
};

static void rank_put(struct text *text, char c)
{
	if (text->at + 1 < text->end)
		*text->at++ = c;
	else
		text->whole = false;
}

/* Appends a name as one component of a path that is not hidden. */
static void put_name(struct text *text, const char *name)
{
	if (!name || !*name)
		name = "none";
	for (int n = 0; *name && n < NAME_MAX_BYTES; name++, n++) {
		bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
			     (*name >= '0' && *name <= '9') || *name == '-' || *name == '_' ||
			     (*name == '.' && n);

		rank_put(text, plain ? *name : '_');
	}
}

static void put_number(struct text *text, uint32_t number)
{
	char digits[10];
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		rank_put(text, digits[--n]);
}

/* Appends what a letter behind '%' stands for; false: it stands for nothing. */
static bool put_letter(struct text *text, char letter, const struct rank_names *names)
{
	uint32_t rank;

	switch (letter) {
	case 'h':
		put_name(text, names->host);
		return true;
	case 'j':
		put_name(text, find_job(names->get, find_row(names->get)));
		return true;
	case 'p':
		put_number(text, names->pid);
		return true;
	case 'r':
		rank = rank_of(names->get);
		if (rank)
			put_number(text, rank - 1);
		else
			put_name(text, NULL);
		return true;
	case '%':
		rank_put(text, '%');
		return true;
	default:
		return false;
	}
}

bool rank_expand(char *to, size_t bytes, const char *pattern, const struct rank_names *names)
{
	struct text text = {to, to + bytes, true};

	for (; *pattern; pattern++)
		if (*pattern == '%' && put_letter(&text, pattern[1], names))
			pattern++;
		else
			rank_put(&text, *pattern);
	*text.at = '\0';
	return text.whole;
}

/* file timestamps are those of the kernel's last clock tick: at most 10 ms old */
#define GRAIN_NS 10000000
#define SECOND_NS 1000000000

void rank_clock(struct mpsan_host *host, uint64_t before, uint64_t after, uint64_t stamp)
{
	int64_t grain = stamp % SECOND_NS ? GRAIN_NS : SECOND_NS;
	int64_t low = (int64_t)(before - stamp) - grain, high = (int64_t)(after - stamp);
	int64_t low_known = host->ahead_ns - (int64_t)host->ahead_error_ns;
	int64_t high_known = host->ahead_ns + (int64_t)host->ahead_error_ns;

	/*
	 * Each reading bounds the offset. Contradictory readings mean that a clock was set
	 * meanwhile.
	 */
	if (host->clock & MPSAN_CLOCK_MEASURED && low <= high_known && high >= low_known) {
		low = low > low_known ? low : low_known;
		high = high < high_known ? high : high_known;
	}
	host->ahead_ns = low + (high - low) / 2;
	host->ahead_error_ns = (uint64_t)(high - low + 1) / 2;
	host->clock |= MPSAN_CLOCK_MEASURED;
}

bool rank_is_local(uint64_t filesystem)
{
	static const uint32_t local[] = {0xef53,     0x58465342, 0x9123683e, 0x794c7630,
					 0x01021994, 0xf2f52010, 0x2fc12fc1};

	for (unsigned i = 0; i < sizeof(local) / sizeof(*local); i++)
		if (filesystem == local[i])
			return true;
	return false;
}
