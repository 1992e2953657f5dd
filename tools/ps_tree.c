/* See ps.h: processes by parent, below each its threads, folded so that all stays on one screen. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ps.h"
#include "ps_text.h"

#define SCREEN 44u /* lines of the tree */
#define KILLED_MAX 5u /* of a living session, ended by a signal */
#define FINDINGS_MAX 6u
#define LIMITS_MAX 4u
#define PIDS_NAMED 3u

struct node {
	const json_t *process;
	struct ps_groups groups;
	char *key; /* equal for processes that look the same */
	uint32_t parent; /* index, UINT32_MAX: none */
	uint32_t like; /* processes folded into this one */
	bool leaf, folded, urgent;
};

struct tree {
	const json_t *document;
	long long now_ns;
	bool live;
	ARRAY(struct node) item;
	uint32_t ended; /* processes left out */
	uint32_t groups_max; /* shown of one process */
	FILE *out;
};

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static long long number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* ---- which processes, and below which ---- */

static bool was_killed(const struct tree *tree, const json_t *process)
{
	return tree->live && !strcmp(text_of(process, "state"), "ended") &&
	       json_object_get(json_object_get(process, "end"), "signal");
}

/* The ended of a living session are left out, but for the last that a signal ended. */
static bool is_shown(const struct tree *tree, const json_t *process, uint32_t *killed)
{
	if (was_killed(tree, process))
		return (*killed)-- <= KILLED_MAX;
	return !tree->live || strcmp(text_of(process, "state"), "ended");
}

static char *process_key(const struct node *node)
{
	char *end = json_dumps(json_object_get(node->process, "end"), JSON_ENCODE_ANY),
	     *command = ps_command(json_incref(json_object_get(node->process, "argv"))),
	     *key = text_format("%s|%s|%s", command, text_of(node->process, "state"),
				end ? end : "");

	for (uint32_t i = 0; i < node->groups.item.count; i++) {
		const struct ps_group *group = &node->groups.item.item[i];
		char *longer = text_format("%s\n%u %s", key, group->count, group->key);

		free(key);
		key = longer;
	}
	free(command);
	free(end);
	return key;
}

static void add_node(struct tree *tree, const json_t *process)
{
	struct node *node = ARRAY_ADD(&tree->item);

	*node = (struct node){.process = process, .parent = UINT32_MAX, .leaf = true};
	ps_groups_init(&node->groups, process);
	node->urgent = node->groups.urgent;
	node->key = process_key(node);
}

/* The last one of that pid that was there before it: pids come again. */
static uint32_t find_parent(const struct tree *tree, uint32_t of)
{
	long long pid = number_of(tree->item.item[of].process, "parent");

	for (uint32_t i = of; i-- > 0;)
		if (number_of(tree->item.item[i].process, "pid") == pid)
			return i;
	return UINT32_MAX;
}

static void tie(struct tree *tree)
{
	for (uint32_t i = 0; i < tree->item.count; i++) {
		struct node *node = &tree->item.item[i];

		node->parent = find_parent(tree, i);
		if (node->parent != UINT32_MAX)
			tree->item.item[node->parent].leaf = false;
		for (uint32_t up = node->parent; node->urgent && up != UINT32_MAX;
		     up = tree->item.item[up].parent)
			tree->item.item[up].urgent = true;
	}
}

/* Children of one parent that look the same become one line. */
static void fold(struct tree *tree)
{
	for (uint32_t i = 0; i < tree->item.count; i++) {
		struct node *one = &tree->item.item[i];

		for (uint32_t k = i + 1; one->leaf && !one->folded && k < tree->item.count; k++) {
			struct node *other = &tree->item.item[k];

			if (!other->leaf || other->folded || other->parent != one->parent ||
			    strcmp(other->key, one->key))
				continue;
			other->folded = true;
			one->like++;
		}
	}
}

static void plant(struct tree *tree, const json_t *document)
{
	uint32_t killed = 0;
	json_t *process;
	size_t i;

	*tree = (struct tree){.document = document,
			      .now_ns = number_of(document, "time_ns"),
			      .live = json_is_true(json_object_get(document, "live"))};
	json_array_foreach(json_object_get(document, "processes"), i, process)
		killed += was_killed(tree, process);
	json_array_foreach(json_object_get(document, "processes"), i, process)
	{
		if (is_shown(tree, process, &killed))
			add_node(tree, process);
		else
			tree->ended++;
	}
	tie(tree);
	fold(tree);
}

static void fell(struct tree *tree)
{
	for (uint32_t i = 0; i < tree->item.count; i++) {
		ps_groups_finish(&tree->item.item[i].groups);
		free(tree->item.item[i].key);
	}
	free(tree->item.item);
}

/* ---- lines ---- */

static void print_pids(const struct tree *tree, uint32_t index)
{
	const struct node *node = &tree->item.item[index];
	uint32_t named = 1;

	fprintf(tree->out, "%lld", number_of(node->process, "pid"));
	for (uint32_t i = index + 1; i < tree->item.count && named < PIDS_NAMED; i++) {
		const struct node *other = &tree->item.item[i];

		if (!other->folded || other->parent != node->parent ||
		    strcmp(other->key, node->key))
			continue;
		fprintf(tree->out, ", %lld", number_of(other->process, "pid"));
		named++;
	}
	if (node->like)
		fprintf(tree->out, "%s (%u processes)", node->like >= PIDS_NAMED ? " …" : "",
			node->like + 1);
}

static void print_end(const struct tree *tree, const struct node *node)
{
	const json_t *end = json_object_get(node->process, "end");
	long long end_ns = number_of(node->process, "end_ns");
	const char *state = text_of(node->process, "state");

	if (!strcmp(state, "zombie"))
		fputs(", zombie: ended, and its parent has not asked for it", tree->out);
	if (!strcmp(state, "alive"))
		return;
	if (json_object_get(end, "signal"))
		fprintf(tree->out, ", ended by signal %lld (%s)", number_of(end, "signal"),
			strsignal((int)number_of(end, "signal")));
	else if (json_object_get(end, "code"))
		fprintf(tree->out, ", exit %lld", number_of(end, "code"));
	else if (!strcmp(state, "ended"))
		fputs(", ended", tree->out);
	else if (!strcmp(state, "unknown"))
		fputs(", cannot be looked at from here", tree->out);
	if (tree->live && end_ns) {
		char *ago = ps_lapse(end_ns, tree->now_ns);

		fprintf(tree->out, " %s ago", ago);
		free(ago);
	}
}

static void print_process(const struct tree *tree, uint32_t index, uint32_t depth)
{
	const struct node *node = &tree->item.item[index];
	char *command = ps_command(json_incref(json_object_get(node->process, "argv")));
	char *age = ps_lapse(number_of(node->process, "start_ns"), tree->now_ns);
	const char *how = text_of(node->process, "how"), *off = text_of(node->process, "watched");

	fprintf(tree->out, "%*s", (int)(2 * depth), "");
	print_pids(tree, index);
	fprintf(tree->out, " %s", command);
	if (strcmp(how, "root"))
		fprintf(tree->out, " (%s)", how);
	if (tree->live && strcmp(text_of(node->process, "state"), "ended"))
		fprintf(tree->out, ", %s old", age);
	print_end(tree, node);
	if (*off)
		fprintf(tree->out, ", not watched: %s", off);
	if (node->groups.idle)
		fprintf(tree->out, ": idle, %u thread%s in timed waits", node->groups.threads,
			node->groups.threads == 1 ? "" : "s");
	else if (node->groups.runs)
		fprintf(tree->out, ": runs, %u thread%s", node->groups.threads,
			node->groups.threads == 1 ? "" : "s");
	fputc('\n', tree->out);
	free(command);
	free(age);
}

static void print_groups(const struct tree *tree, const struct node *node, uint32_t depth)
{
	bool alive = !strcmp(text_of(node->process, "state"), "alive");
	uint32_t count = node->groups.item.count, rest = 0;

	if (node->groups.idle || node->groups.runs)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const struct ps_group *group = &node->groups.item.item[i];
		char *text;

		if (i >= tree->groups_max) {
			rest += group->count;
			continue;
		}
		text = ps_group_text(group, node->process, tree->now_ns, alive);
		fprintf(tree->out, "%*s- %s\n", (int)(2 * depth + 2), "", text);
		free(text);
	}
	if (rest)
		fprintf(tree->out, "%*s- %u more thread%s\n", (int)(2 * depth + 2), "", rest,
			rest == 1 ? "" : "s");
}

static void print_nodes(const struct tree *tree, uint32_t parent, uint32_t depth, bool urgent)
{
	for (uint32_t i = 0; i < tree->item.count; i++) {
		const struct node *node = &tree->item.item[i];

		if (node->parent != parent || node->folded || node->urgent != urgent)
			continue;
		print_process(tree, i, depth < 12 ? depth : 12);
		print_groups(tree, node, depth < 12 ? depth : 12);
		print_nodes(tree, i, depth + 1, true);
		print_nodes(tree, i, depth + 1, false);
	}
}

static uint32_t count_lines(const char *text)
{
	uint32_t lines = 0;

	for (; (text = strchr(text, '\n')); text++)
		lines++;
	return lines;
}

/* The tree with as many threads of each process as fit the screen. */
static char *tree_text(struct tree *tree)
{
	static const uint32_t shown[] = {24, 12, 6, 3, 2, 1};
	char *text = NULL;
	size_t bytes;

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		free(text);
		tree->groups_max = shown[i];
		tree->out = open_memstream(&text, &bytes);
		if (!tree->out)
			return text_copy("");
		print_nodes(tree, UINT32_MAX, 0, true);
		print_nodes(tree, UINT32_MAX, 0, false);
		fclose(tree->out);
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
	static const char mark[] = " for ever,";
	const char *found = NULL;

	if (screen->columns)
		length = bytes_of(line, length, screen->columns);
	if (screen->colour)
		found = memmem(line, length, mark, sizeof(mark) - 1);
	if (found)
		fprintf(screen->out, "%.*s \033[1;31mfor ever\033[0m,%.*s\n", (int)(found - line),
			line, (int)(length - (size_t)(found - line) - (sizeof(mark) - 1)),
			found + sizeof(mark) - 1);
	else
		fprintf(screen->out, "%.*s\n", (int)length, line);
}

static void put_text(const struct screen *screen, const char *text, uint32_t max)
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

static void put_head(const struct screen *screen, const struct tree *tree)
{
	size_t processes = 0, threads = 0, i;
	json_t *process;
	char *line;

	json_array_foreach(json_object_get(tree->document, "processes"), i, process)
	{
		if (strcmp(text_of(process, "state"), "alive"))
			continue;
		processes++;
		threads += json_array_size(json_object_get(process, "threads"));
	}
	line = tree->live ?
		       text_format("%s: %zu process%s, %zu thread%s",
				   text_of(tree->document, "session"), processes,
				   processes == 1 ? "" : "es", threads, threads == 1 ? "" : "s") :
		       text_format("%s: ended; what follows is how it was left",
				   text_of(tree->document, "session"));
	put_line(screen, line, strlen(line));
	free(line);
}

static void put_findings(const struct screen *screen, const struct tree *tree)
{
	const json_t *findings = json_object_get(tree->document, "findings");
	size_t count = json_array_size(findings);

	for (size_t i = 0; i < count && i < FINDINGS_MAX; i++) {
		const json_t *finding = json_array_get(findings, i);
		char *line = text_format("%s: %s: %s", text_of(finding, "severity"),
					 text_of(finding, "rule"), text_of(finding, "message"));

		line[strcspn(line, "\n")] = '\0';
		put_line(screen, line, strlen(line));
		free(line);
	}
	if (count)
		fprintf(screen->out, "%zu finding%s so far: mpsan report %s\n", count,
			count == 1 ? "" : "s", text_of(tree->document, "session"));
}

static void put_limits(const struct screen *screen, const struct tree *tree)
{
	const json_t *limits = json_object_get(tree->document, "limits");
	size_t count = json_array_size(limits);

	/* The last one is about this look: it comes first. */
	for (size_t i = 0; i < count && i < LIMITS_MAX; i++) {
		char *line = text_format("limit: %s",
					 json_string_value(json_array_get(limits, count - 1 - i)));

		put_line(screen, line, strlen(line));
		free(line);
	}
}

static void put_exports(FILE *out, const json_t *document)
{
	const json_t *totals = json_object_get(document, "exports");

	if (number_of(totals, "exports"))
		fprintf(out, "exports of device memory: %lld, importers: %lld (mpsan ipc)\n",
			number_of(totals, "exports"), number_of(totals, "importers"));
}

void ps_print(FILE *out, const json_t *document)
{
	const char *off = getenv("NO_COLOR");
	struct screen screen = {.out = out,
				.columns = terminal_columns(out),
				.colour = !(off && *off) && isatty(fileno(out))};
	struct tree tree;
	char *text;

	plant(&tree, document);
	put_head(&screen, &tree);
	text = tree_text(&tree);
	put_text(&screen, text, SCREEN);
	if (tree.ended)
		fprintf(out, "%u process%s ended before\n", tree.ended,
			tree.ended == 1 ? "" : "es");
	put_exports(out, document);
	put_findings(&screen, &tree);
	put_limits(&screen, &tree);
	free(text);
	fell(&tree);
}
