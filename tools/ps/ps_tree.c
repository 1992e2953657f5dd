/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the tree of processes and folds equal children. */
#include "ps_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"

#define KILLED_MAX 5u /* processes of a running session that a signal ended */
#define PIDS_NAMED 3u
#define DEPTH_MAX 12u

/* ---- which processes, and below which ---- */

static bool was_killed(const struct ps_tree *tree, const json_t *process)
{
	return tree->live && !strcmp(jsontext_at(process, "state"), "ended") &&
	       json_object_get(json_object_get(process, "end"), "signal");
}

/* Ended processes of a running session are omitted, except the last few that a signal ended. */
static bool is_shown(const struct ps_tree *tree, const json_t *process, uint32_t *killed)
{
	if (was_killed(tree, process))
		return (*killed)-- <= KILLED_MAX;
	return !tree->live || strcmp(jsontext_at(process, "state"), "ended");
}

static char *process_key(const struct ps_node *node)
{
	AUTO_FREE char *end = json_dumps(json_object_get(node->process, "end"), JSON_ENCODE_ANY),
		       *command = ps_command(json_incref(json_object_get(node->process, "argv")));
	char *key = text_format("%s|%s|%s", command, jsontext_at(node->process, "state"),
				end ? end : "");

	for (uint32_t i = 0; i < node->groups.item.count; i++) {
		const struct ps_group *group = &node->groups.item.item[i];
		char *longer = text_format("%s\n%u %s", key, group->count, group->key);

		free(key);
		key = longer;
	}
	return key;
}

static void add_node(struct ps_tree *tree, const json_t *process)
{
	struct ps_node *node = ARRAY_ADD(&tree->item);

	*node = (struct ps_node){.process = process, .parent = UINT32_MAX, .leaf = true};
	ps_groups_init(&node->groups, process);
	node->urgent = node->groups.urgent;
	node->key = process_key(node);
}

/* The newest process with the parent's pid that began earlier: pids are reused. */
static uint32_t find_parent(const struct ps_tree *tree, uint32_t of)
{
	long long pid = jsontext_number(tree->item.item[of].process, "parent");

	for (uint32_t i = of; i-- > 0;)
		if (jsontext_number(tree->item.item[i].process, "pid") == pid)
			return i;
	return UINT32_MAX;
}

static void ps_tree_tie(struct ps_tree *tree)
{
	for (uint32_t i = 0; i < tree->item.count; i++) {
		struct ps_node *node = &tree->item.item[i];

		node->parent = find_parent(tree, i);
		if (node->parent != UINT32_MAX)
			tree->item.item[node->parent].leaf = false;
		for (uint32_t up = node->parent; node->urgent && up != UINT32_MAX;
		     up = tree->item.item[up].parent)
			tree->item.item[up].urgent = true;
	}
}

/* Folds children of one parent that look the same into one line. */
static void ps_tree_fold(struct ps_tree *tree)
{
	for (uint32_t i = 0; i < tree->item.count; i++) {
		struct ps_node *one = &tree->item.item[i];

		for (uint32_t k = i + 1; one->leaf && !one->folded && k < tree->item.count; k++) {
			struct ps_node *other = &tree->item.item[k];

			if (!other->leaf || other->folded || other->parent != one->parent ||
			    strcmp(other->key, one->key))
				continue;
			other->folded = true;
			one->like++;
		}
	}
}

void ps_tree_init(struct ps_tree *tree, const json_t *document)
{
	uint32_t killed = 0;
	json_t *process;

	*tree = (struct ps_tree){.document = document,
				 .now_ns = jsontext_number(document, "time_ns"),
				 .live = json_is_true(json_object_get(document, "live"))};
	JSON_EACH(process, json_object_get(document, "processes"))
		killed += was_killed(tree, process);
	JSON_EACH(process, json_object_get(document, "processes")) {
		if (is_shown(tree, process, &killed))
			add_node(tree, process);
		else
			tree->ended++;
	}
	ps_tree_tie(tree);
	ps_tree_fold(tree);
}

void ps_tree_finish(struct ps_tree *tree)
{
	for (uint32_t i = 0; i < tree->item.count; i++) {
		ps_groups_finish(&tree->item.item[i].groups);
		free(tree->item.item[i].key);
	}
	free(tree->item.item);
}

/* ---- lines ---- */

static void print_pid(FILE *out, const char *before, const json_t *process)
{
	long long outer = jsontext_number(process, "outer_pid");

	fprintf(out, "%s%lld", before, jsontext_number(process, "pid"));
	if (outer)
		fprintf(out, " (%lld outside)", outer);
}

static void print_pids(FILE *out, const struct ps_tree *tree, uint32_t index)
{
	const struct ps_node *node = &tree->item.item[index];
	uint32_t named = 1;

	print_pid(out, "", node->process);
	for (uint32_t i = index + 1; i < tree->item.count && named < PIDS_NAMED; i++) {
		const struct ps_node *other = &tree->item.item[i];

		if (!other->folded || other->parent != node->parent ||
		    strcmp(other->key, node->key))
			continue;
		print_pid(out, ", ", other->process);
		named++;
	}
	if (node->like)
		fprintf(out, "%s (%u processes)", node->like >= PIDS_NAMED ? " …" : "",
			node->like + 1);
}

static void print_end(FILE *out, const struct ps_tree *tree, const struct ps_node *node)
{
	const json_t *end = json_object_get(node->process, "end");
	long long end_ns = jsontext_number(node->process, "end_ns");
	const char *state = jsontext_at(node->process, "state");

	if (!strcmp(state, "zombie"))
		fputs(", zombie: its parent has not reaped it", out);
	if (!strcmp(state, "alive"))
		return;
	if (json_object_get(end, "signal"))
		fprintf(out, ", ended by signal %lld (%s)", jsontext_number(end, "signal"),
			strsignal((int)jsontext_number(end, "signal")));
	else if (json_object_get(end, "code"))
		fprintf(out, ", exit %lld", jsontext_number(end, "code"));
	else if (!strcmp(state, "ended") || (tree->live && end_ns && !strcmp(state, "zombie")))
		fputs(", ended", out);
	else if (!strcmp(state, "unknown"))
		fputs(", cannot be examined", out);
	if (tree->live && end_ns) {
		AUTO_FREE char *ago = line_lapse(end_ns, tree->now_ns);

		fprintf(out, " %s%s ago",
			json_is_true(json_object_get(node->process, "end_at_least")) ? "at least " :
										       "",
			ago);
	}
}

static void print_process(FILE *out, const struct ps_tree *tree, uint32_t index)
{
	const struct ps_node *node = &tree->item.item[index];
	AUTO_FREE char *command = ps_command(json_incref(json_object_get(node->process, "argv")));
	AUTO_FREE char *age = line_lapse(jsontext_number(node->process, "start_ns"), tree->now_ns);
	const char *how = jsontext_at(node->process, "how"),
		   *off = jsontext_at(node->process, "watched");

	print_pids(out, tree, index);
	fprintf(out, " %s", command);
	if (strcmp(how, "root"))
		fprintf(out, " (%s)", how);
	if (tree->live && jsontext_number(node->process, "start_ns") &&
	    strcmp(jsontext_at(node->process, "state"), "ended"))
		fprintf(out, ", %s old", age);
	print_end(out, tree, node);
	if (*off)
		fprintf(out, ", not watched: %s", off);
	if (node->groups.idle)
		fprintf(out, ": idle, %u thread%s in timed waits", node->groups.threads,
			node->groups.threads == 1 ? "" : "s");
	else if (node->groups.runs)
		fprintf(out, ": running, %u thread%s", node->groups.threads,
			node->groups.threads == 1 ? "" : "s");
}

char *ps_tree_process(const struct ps_tree *tree, uint32_t index)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return text_copy("");
	print_process(out, tree, index);
	fclose(out);
	return text;
}

static void walk(const struct ps_tree *tree, uint32_t parent, uint32_t depth, bool urgent,
		 ps_tree_see *see, void *context)
{
	for (uint32_t i = 0; i < tree->item.count; i++) {
		const struct ps_node *node = &tree->item.item[i];

		if (node->parent != parent || node->folded || node->urgent != urgent)
			continue;
		see(tree, i, depth < DEPTH_MAX ? depth : DEPTH_MAX, context);
		walk(tree, i, depth + 1, true, see, context);
		walk(tree, i, depth + 1, false, see, context);
	}
}

void ps_tree_walk(const struct ps_tree *tree, ps_tree_see *see, void *context)
{
	walk(tree, UINT32_MAX, 0, true, see, context);
	walk(tree, UINT32_MAX, 0, false, see, context);
}
