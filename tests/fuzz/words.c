/*
 * Reads what people write: libFuzzer's entry for options and for the files that they name. The first byte says which of
 * these the rest of an input is. Neighbour: replay.c.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/cmd/options.h"
#include "fuzz.h"

#define WORDS_MAX 16
#define BYTES_MAX 65536

static char place[64];

static void remove_place(void)
{
	unlink(place);
}

static void begin(void)
{
	int fd;

	strcpy(place, "/dev/shm/mpsan-words-XXXXXX");
	fd = mkstemp(place);
	if (fd < 0)
		abort();
	close(fd);
	atexit(remove_place);
}

static void write_place(const uint8_t *data, size_t size)
{
	int fd = open(place, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void parse(enum option_where where, int count, char **words)
{
	struct settings settings;

	options_parse(&settings, where, "check", count, words);
	options_finish(&settings);
}

static void parse_file(const char *option, const uint8_t *data, size_t size)
{
	char *word = text_format("--%s=%s", option, place), *words[] = {"check", word, NULL};

	write_place(data, size);
	parse(OPT_CHECK, 2, words);
	free(word);
}

/* One word a line. */
static void parse_words(const uint8_t *data, size_t size)
{
	static const enum option_where where[] = {OPT_RUN, OPT_REPORT, OPT_CHECK, OPT_ENV};
	char text[BYTES_MAX + 1], *words[WORDS_MAX + 2] = {"check"}, *rest = text;
	int count = 1;

	memcpy(text, data, size);
	text[size] = '\0';
	if (strstr(text, "/dev/"))
		return; /* some never end */
	while (rest && count <= WORDS_MAX)
		words[count++] = strsep(&rest, "\n");
	parse(where[size % 4], count, words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const options[] = {"suppressions", "baseline", "conf"};

	if (!size || size > BYTES_MAX)
		return 0;
	if (!*place)
		begin();
	if (data[0] % 4 == 3)
		parse_words(data + 1, size - 1);
	else
		parse_file(options[data[0] % 4], data + 1, size - 1);
	return 0;
}
