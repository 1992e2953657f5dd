/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: prints the tree of processes and their threads, folded so that it fits one screen. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../base/headline.h"
#include "../base/jsontext.h"
#include "../base/stream.h"
#include "../findings/grades.h"
#include "../report/follow.h"
#include "../symbols/frame.h"
#include "ps.h"
#include "ps_tree.h"

#define SCREEN 44u /* lines of the tree */
#define FINDINGS_MAX 6u
#define LIMITS_MAX 4u

/* ---- lines ---- */

struct lines {
	FILE *out;
	bool frames; /* below each group, those of its first thread */
	uint32_t groups_max; /* shown of one process */
};

#define FRAMES_MAX 5u

static char *python_line(const json_t *frames)
{
	char *line = text_copy("");
	size_t count = json_array_size(frames);

	for (size_t i = 0; i < count && i < FRAMES_MAX; i++)
		line = text_join(line, " < ", frame_text(json_array_get(frames, i)));
	return count > FRAMES_MAX ? text_join(line, " < ", text_copy("…")) : line;
}

/* Functions only, up to the interpreter's loop: what called that is Python's. */
static char *native_line(const json_t *frames)
{
	char *line = text_copy("");
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame) {
		const char *function = jsontext_string(frame, "function");

		if (!function || strstr(function, "PyEval_") || i > FRAMES_MAX)
			break;
		line = text_join(line, " < ", text_copy(function));
	}
	return line;
}

static void print_line(const struct lines *lines, uint32_t depth, const char *what, char *line)
{
	if (*line)
		fprintf(lines->out, "%*s%s: %s\n", (int)(2 * depth + 6), "", what, line);
	free(line);
}

/* Python's and native ones side by side. */
static void print_frames(const struct lines *lines, const struct ps_group *group, uint32_t depth)
{
	print_line(lines, depth, "Python", python_line(group->first->python));
	print_line(lines, depth, "native", native_line(group->first->stack));
}

static void print_groups(const struct lines *lines, const struct ps_tree *tree,
			 const struct ps_node *node, uint32_t depth)
{
	uint32_t count = node->groups.item.count, rest = 0;

	if (node->groups.idle || node->groups.runs)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct ps_group *group = &node->groups.item.item[i];
		AUTO_FREE char *text = NULL;

		if (i >= lines->groups_max) {
			rest += group->count;
			continue;
		}
		text = ps_group_text(group, node->process, tree->picture->now_ns);
		fprintf(lines->out, "%*s- %s\n", (int)(2 * depth + 2), "", text);
		if (lines->frames)
			print_frames(lines, group, depth);
	}
	if (rest)
		fprintf(lines->out, "%*s- %u more thread%s\n", (int)(2 * depth + 2), "", rest,
			rest == 1 ? "" : "s");
}

static void print_node(const struct ps_tree *tree, uint32_t index, uint32_t depth, void *context)
{
	const struct lines *lines = context;
	AUTO_FREE char *text = ps_tree_process(tree, index);

	fprintf(lines->out, "%*s%s\n", (int)(2 * depth), "", text);
	print_groups(lines, tree, &tree->item.item[index], depth);
}

static uint32_t count_lines(const char *text)
{
	uint32_t lines = 0;

	for (; (text = strchr(text, '\n')); text++)
		lines++;
	return lines;
}

/* The tree, with as many threads of each process as fit the screen. */
static char *tree_text(const struct ps_tree *tree, bool frames)
{
	static const uint32_t shown[] = {24, 12, 6, 3, 2, 1};
	struct lines lines = {.frames = frames};
	char *text = NULL;
	size_t bytes;

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		free(text);
		lines.groups_max = shown[i];
		lines.out = open_memstream(&text, &bytes);
		if (!lines.out)
			return text_copy("");
		ps_tree_walk(tree, print_node, &lines);
		fclose(lines.out);
		if (count_lines(text) <= SCREEN)
			break;
	}
	return text;
}

/* ---- the screen ---- */

struct screen {
	FILE *out;
	size_t columns; /* 0: no limit */
	bool colour;
};

static size_t terminal_columns(FILE *out)
{
	const char *given = getenv("COLUMNS");
	struct winsize size;

	if (!isatty(fileno(out)))
		return 0;
	if (given && atoi(given) > 0)
		return (size_t)atoi(given);
	return !ioctl(fileno(out), TIOCGWINSZ, &size) ? size.ws_col : 0;
}

/* Bytes of the first `columns` characters of UTF-8 text. */
static size_t bytes_of(const char *line, size_t length, size_t columns)
{
	size_t at = 0;

	for (; at < length; at++)
		if (((unsigned char)line[at] & 0xc0) != 0x80 && !columns--)
			break;
	return at;
}

static void put_line(const struct screen *screen, const char *line, size_t length)
{
	static const char mark[] = " forever (";
	const char *found = NULL;

	if (screen->columns)
		length = bytes_of(line, length, screen->columns);
	if (screen->colour)
		found = memmem(line, length, mark, sizeof(mark) - 1);
	if (found)
		fprintf(screen->out, "%.*s \033[1;31mforever\033[0m (%.*s\n", (int)(found - line),
			line, (int)(length - (size_t)(found - line) - (sizeof(mark) - 1)),
			found + sizeof(mark) - 1);
	else
		fprintf(screen->out, "%.*s\n", (int)length, line);
}

static void ps_print_put_text(const struct screen *screen, const char *text, uint32_t max)
{
	uint32_t left = count_lines(text);

	for (uint32_t i = 0; left && i < max; i++, left--) {
		size_t length = strcspn(text, "\n");

		put_line(screen, text, length);
		text += length + 1;
	}
	if (left)
		fprintf(screen->out, "… %u more line%s (--json has all)\n", left,
			left == 1 ? "" : "s");
}

static void put_head(const struct screen *screen, const struct ps_picture *picture)
{
	uint32_t processes = 0, threads = 0;
	AUTO_FREE char *line = NULL;

	for (uint32_t i = 0; i < picture->processes.count; i++) {
		const struct ps_process *process = &picture->processes.item[i];

		if (process->life != PS_ALIVE)
			continue;
		processes++;
		threads += process->threads.count;
	}
	line = picture->live ?
		       text_format("%s: %u process%s, %u thread%s",
				   picture->outside ? "started without mpsan" : picture->session,
				   processes, processes == 1 ? "" : "es", threads,
				   threads == 1 ? "" : "s") :
		       text_format("%s: ended; last known state", picture->session);
	put_line(screen, line, strlen(line));
}

static void put_triage(FILE *out, const struct ps_picture *picture)
{
	unsigned printed = 0;

	for (uint32_t i = 0; i < picture->triage.count; i++) {
		const struct ps_standstill *one = &picture->triage.item[i];

		if (!kind_is_told(picture->triage.item[0].kind, one->kind, printed))
			continue;
		printed++;
		line_put(out, one->text);
		putc('\n', out);
	}
}

static void put_finding(const struct screen *screen, const struct ps_finding *finding)
{
	AUTO_FREE char *head = text_format("%s: %s: %s", grade_text(finding->grade),
					   jsontext_at(finding->told, "rule"),
					   jsontext_at(finding->told, "what")),
		       *lines = headline_lines(head, jsontext_at(finding->told, "why"),
					       jsontext_at(finding->told, "fix"));

	for (const char *line = lines, *end; *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		put_line(screen, line, (size_t)(end - line));
	}
}

static void put_findings(const struct screen *screen, const struct ps_picture *picture)
{
	uint32_t count = picture->findings.count, put = 0;

	for (uint32_t i = 0; i < count && put < FINDINGS_MAX; i++) {
		if (follows(picture->findings.item[i].told))
			continue;
		put_finding(screen, &picture->findings.item[i]);
		put++;
	}
	if (count && picture->recorded)
		fprintf(screen->out, "%u finding%s so far: mpsan report %s\n", count,
			count == 1 ? "" : "s", picture->session);
}

static void put_limits(const struct screen *screen, const struct ps_picture *picture)
{
	size_t count = json_array_size(picture->limits);

	/* The last limit concerns this snapshot: it comes first. */
	for (size_t i = 0; i < count && i < LIMITS_MAX; i++) {
		AUTO_FREE char *line = text_format(
			"limit: %s",
			json_string_value(json_array_get(picture->limits, count - 1 - i)));

		put_line(screen, line, strlen(line));
	}
}

static void put_exports(FILE *out, const json_t *totals)
{
	if (jsontext_number(totals, "exports"))
		fprintf(out, "exports of device memory: %lld, importers: %lld (mpsan ipc)\n",
			jsontext_number(totals, "exports"), jsontext_number(totals, "importers"));
}

void ps_print_tree(FILE *out, const struct ps_picture *picture)
{
	struct screen screen = {.out = out};
	struct ps_tree tree;
	AUTO_FREE char *text = NULL;

	ps_tree_init(&tree, picture);
	text = tree_text(&tree, true);
	ps_print_put_text(&screen, text, UINT32_MAX);
	ps_tree_finish(&tree);
}

void ps_print(FILE *out, const struct ps_picture *picture)
{
	struct screen screen = {
		.out = out, .columns = terminal_columns(out), .colour = stream_is_coloured(out)};
	struct ps_tree tree;
	AUTO_FREE char *text = NULL;

	ps_tree_init(&tree, picture);
	put_triage(out, picture);
	put_head(&screen, picture);
	text = tree_text(&tree, false);
	ps_print_put_text(&screen, text, SCREEN);
	if (tree.ended)
		fprintf(out, "%u process%s ended before\n", tree.ended,
			tree.ended == 1 ? "" : "es");
	put_exports(out, picture->exports);
	put_findings(&screen, picture);
	put_limits(&screen, picture);
	ps_tree_finish(&tree);
}
