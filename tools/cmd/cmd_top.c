/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan top: the view of mpsan ps, refreshed in a terminal; with --once, one plain screen.
 * Neighbours: top.h, ps.h.
 */
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../base/stream.h"
#include "../top/top.h"
#include "command.h"

#define INTERVAL_MIN 0.1
#define INTERVAL_MAX 3600.0
#define SHARE 4u /* examining takes at most a quarter of the time */

struct top_options {
	double interval; /* seconds */
	bool once;
};

static volatile sig_atomic_t ended_by;

static void note_signal(int number)
{
	ended_by = number;
}

static void catch_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_handler = note_signal};

	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaction(caught[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Names and the output of the other commands are UTF-8, whatever the locale says. */
static void use_utf8(void)
{
	if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
}

static void cmd_top_draw(struct top_view *view, const struct top_picture *picture)
{
	struct top_rows lines = {0};
	uint32_t height, columns;

	top_screen_size(&height, &columns);
	top_view_draw(view, picture, height, columns, &lines);
	top_screen_draw(&lines);
	top_rows_finish(&lines);
}

/* When to refresh next: after the interval, or later if examining is slow. */
static uint64_t next_look(uint64_t began_ns, double interval)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), rest_ns = (now_ns - began_ns) * SHARE,
		 interval_ns = (uint64_t)(interval * 1e9);

	return began_ns + (rest_ns > interval_ns ? rest_ns : interval_ns);
}

static int wait_ms(uint64_t until_ns)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	return now_ns >= until_ns ? 0 : (int)((until_ns - now_ns) / 1000000u) + 1;
}

static void go_round(struct top_look *look, const struct top_options *options)
{
	uint64_t next_ns = next_look(clock_ns(CLOCK_MONOTONIC), options->interval);
	struct top_view view;
	int key = 0;

	top_view_init(&view);
	do {
		if (!wait_ms(next_ns)) {
			uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);

			if (!view.paused)
				top_look_again(look, top_view_page(&view) == TOP_MEMORY);
			next_ns = next_look(began_ns, options->interval);
		}
		cmd_top_draw(&view, &look->picture);
		key = top_screen_key(wait_ms(next_ns));
	} while (key >= 0 && !ended_by && top_view_key(&view, key));
	top_view_finish(&view);
}

static int show_live(struct top_look *look, const struct top_options *options)
{
	char *wrong = top_screen_open();

	if (wrong) {
		complain("%s", wrong);
		free(wrong);
		return STATUS_USAGE;
	}
	catch_signals();
	go_round(look, options);
	top_screen_close();
	return ended_by ? 128 + ended_by : 0;
}

static uint32_t line_columns(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ?
		       size.ws_col :
		       UINT32_MAX / 2;
}

static int show_once(const struct top_look *look)
{
	struct top_rows rows = {0};

	top_rows_head(&rows, &look->picture, false);
	top_rows_tree(&rows, &look->picture);
	top_rows_findings(&rows, &look->picture);
	for (uint32_t i = 0; i < rows.item.count; i++) {
		AUTO_FREE char *line = top_clip(rows.item.item[i].text, 0, line_columns());

		puts(line);
	}
	top_rows_finish(&rows);
	return stream_flush(stdout) ? 0 : complain("top: cannot write to standard output");
}

static int cmd_top_show(const char *dir, bool as_json, const void *context)
{
	const struct top_options *options = context;
	struct top_look look;
	char *wrong;
	int status;

	(void)as_json;
	use_utf8();
	wrong = top_look_open(&look, dir);
	if (wrong) {
		complain("%s", wrong);
		free(wrong);
		return STATUS_USAGE;
	}
	status = options->once ? show_once(&look) : show_live(&look, options);
	top_look_close(&look);
	return status;
}

static int take_interval(struct top_options *options, const char *text)
{
	char *end;

	options->interval = text ? strtod(text, &end) : NAN;
	if (!text || end == text || *end || !(options->interval >= INTERVAL_MIN) ||
	    !(options->interval <= INTERVAL_MAX))
		return complain("top: --interval %s: expected seconds from %g to %g",
				text ? text : "", INTERVAL_MIN, INTERVAL_MAX);
	return 0;
}

/* Removes top's own options from argv; ps_command_run parses the rest. */
static int take_options(struct top_options *options, int *argc, char **argv)
{
	int kept = 1, status = 0;

	for (int i = 1; i < *argc && !status; i++) {
		if (!strcmp(argv[i], "--json"))
			status = complain("top: no --json; use mpsan ps --json");
		else if (!strcmp(argv[i], "--once"))
			options->once = true;
		else if (!strncmp(argv[i], "--interval=", 11))
			status = take_interval(options, argv[i] + 11);
		else if (!strcmp(argv[i], "--interval"))
			status = take_interval(options, i + 1 < *argc ? argv[++i] : NULL);
		else
			argv[kept++] = argv[i];
	}
	*argc = kept;
	return status;
}

int cmd_top(int argc, char **argv)
{
	struct top_options options = {.interval = 1};
	int status;

	if (usage_asked(argc, argv, usage_top))
		return 0;
	status = take_options(&options, &argc, argv);
	return status ? status : ps_command_run(argc, argv, usage_top, cmd_top_show, &options);
}
