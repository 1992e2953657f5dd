/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `mpsan report` when a signal asks the program to end, and again if it does not. */
#include "interim.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "../base/atomic_file.h"
#include "../base/util.h"
#include "own_command.h"

#define GRACE_NS 2000000000ull /* what sends SIGKILL next waits for 5 s at least, mostly 10 */

/*
 * What is said on standard error if the program goes on. Programs that catch SIGHUP read their
 * settings again, and those that catch SIGINT of a terminal have somebody before it.
 */
enum words { SILENT, HINT, TEXT };

static const struct {
	int number;
	enum words words, by_terminal;
} asking[] = {
	{SIGTERM, TEXT, TEXT},
	{SIGINT, TEXT, HINT},
	{SIGHUP, SILENT, SILENT},
};
#define ASKING (sizeof(asking) / sizeof(*asking))

static size_t row_of(int number)
{
	size_t i = 0;

	while (i < ASKING && asking[i].number != number)
		i++;
	return i;
}

static void abandon(struct interim *interim)
{
	if (!interim->writer)
		return;
	if (waitpid(interim->writer, NULL, WNOHANG) == 0) {
		kill(interim->writer, SIGKILL);
		waitpid(interim->writer, NULL, 0);
		for (char *const *file = interim->file; *file; file++)
			atomic_file_abandon(*file, interim->writer);
	}
	interim->writer = 0;
}

static void begin(struct interim *interim, char **command, bool is_loud)
{
	abandon(interim);
	interim->writer = own_command_start(command, is_loud);
}

void interim_signal(struct interim *interim, int number, bool by_terminal, uint64_t now_ns)
{
	size_t row = row_of(number);

	if (row == ASKING || interim->asked >> row & 1)
		return;
	interim->asked |= 1u << row;
	interim->number = number;
	interim->by_terminal = by_terminal;
	interim->due_ns = now_ns + GRACE_NS;
	if (*interim->file)
		begin(interim, interim->command, false);
}

/* "the report so far is in a.json, b.html". */
static void say_files(char *const *file)
{
	fprintf(stderr, "the report so far is in %s", *file);
	while (*++file)
		fprintf(stderr, ", %s", *file);
	fputc('\n', stderr);
}

static void say(const struct interim *interim, enum words words)
{
	AUTO_FREE char *name = text_signal(interim->number);

	fprintf(stderr, "mpsan: %s came %u s ago, and the program goes on; ", name,
		(unsigned)(GRACE_NS / 1000000000u));
	if (words == TEXT && interim->with_text)
		fprintf(stderr, "the report so far:\n");
	else if (words == TEXT && *interim->file)
		say_files(interim->file);
	else
		fprintf(stderr, "mpsan ps %s shows what it waits for\n", interim->dir);
	fflush(stderr);
}

bool interim_is_due(const struct interim *interim, uint64_t now_ns)
{
	return interim->due_ns && now_ns >= interim->due_ns;
}

void interim_write(struct interim *interim)
{
	size_t row = row_of(interim->number);
	enum words words = interim->by_terminal ? asking[row].by_terminal : asking[row].words;
	bool has_text = words == TEXT && interim->with_text;

	interim->due_ns = 0;
	if (words != SILENT)
		say(interim, words);
	if (has_text || *interim->file)
		begin(interim, has_text ? interim->with_text : interim->command, has_text);
}

void interim_end(struct interim *interim)
{
	abandon(interim);
	interim->due_ns = 0;
}
