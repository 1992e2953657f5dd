/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the progress line, and erases it. */
#include "progress.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "line.h"
#include "util.h"

#define PATIENCE_NS 1000000000ull /* before anything is shown */
#define BETWEEN_NS 200000000ull
#define STEPS 16u /* between two readings of the clock */

bool progress_is_on;
uint64_t (*progress_clock)(int clock) = clock_ns;

static struct {
	char *subject; /* a directory, or what is examined */
	const char *what;
	uint64_t done, total;
	uint64_t next_ns; /* next time it is drawn */
	uint64_t began_ns; /* of the first session */
	uint32_t steps;
	bool shown;
} progress;

static bool has_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb");
}

/* The size of a session's logs, roughly: the files may be sparse. */
static uint64_t count_bytes(const char *dir)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	while (stream && (entry = readdir(stream))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot && !strcmp(dot, ".log") && !fstatat(dirfd(stream), entry->d_name, &st, 0))
			bytes += (uint64_t)st.st_blocks * 512u;
	}
	if (stream)
		closedir(stream);
	return bytes;
}

void progress_begin_with(const char *subject, const char *what, uint64_t total)
{
	if (!has_terminal())
		return;
	progress_end();
	progress.subject = text_copy(subject);
	line_clean(progress.subject);
	if (!progress.began_ns) {
		progress.began_ns = progress_clock(CLOCK_MONOTONIC);
		progress.next_ns = progress.began_ns + PATIENCE_NS;
	}
	progress_is_on = true;
	progress_phase(what, total);
}

void progress_begin(const char *dir)
{
	progress_begin_with(dir, "reading", has_terminal() ? count_bytes(dir) : 0);
}

void progress_end(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	progress.shown = progress_is_on = false;
	free(progress.subject);
	progress.subject = NULL;
}

void progress_phase(const char *what, uint64_t total)
{
	progress.what = what;
	progress.done = 0;
	progress.total = total;
	progress.steps = 0;
}

void progress_again(const char *what)
{
	progress_phase(what, progress.total);
}

/* Never wider than one line: a second line could not be erased. */
static void progress_show(void)
{
	unsigned percent = progress.total > progress.done ?
				   (unsigned)(100 * progress.done / progress.total) :
				   100;
	char *line = text_format("mpsan: %s %s: %u %%", progress.what, progress.subject, percent);
	struct winsize size;
	int columns = !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;

	fprintf(stderr, "\r%.*s\033[K", columns - 1, line);
	fflush(stderr);
	free(line);
	progress.shown = true;
}

void progress_advance(uint64_t amount)
{
	uint64_t now_ns;

	progress.done += amount;
	if (progress.steps++ % STEPS)
		return;
	now_ns = progress_clock(CLOCK_MONOTONIC);
	if (now_ns < progress.next_ns)
		return;
	progress.next_ns = now_ns + BETWEEN_NS;
	progress_show();
}
