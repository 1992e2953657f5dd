/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the tree of processes and folds equal children. */
#include "ps_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_log.h"

#define KILLED_MAX 5u /* processes of a running session that a signal ended */
#define PIDS_NAMED 3u
#define DEPTH_MAX 12u

/* ---- which processes, and below which ---- */

static bool was_killed(const struct ps_tree *tree, const struct ps_process *process)
{
	return tree->picture->live && process->life == PS_ENDED && process->end == MPSAN_END_SIGNAL;
}

/* Ended processes of a running session are omitted, except the last few that a signal ended. */
static bool is_shown(const struct ps_tree *tree, const struct ps_process *process, uint32_t *killed)
{
	if (was_killed(tree, process))
		return (*killed)-- <= KILLED_MAX;
	return !tree->picture->live || process->life != PS_ENDED;
}

static char *process_key(const struct ps_node *node)
{
	const struct ps_process *process = node->process;
	char *key = text_format("%s|%d|%u %d", process->command, (int)process->life, process->end,
				process->end_value);

	for (uint32_t i = 0; i < node->groups.item.count; i++) {
		const struct ps_group *group = &node->groups.item.item[i];
		char *longer = text_format("%s\n%u %s", key, group->count, group->key);

		free(key);
		key = longer;
	}
	return key;
}

static void add_node(struct ps_tree *tree, const struct ps_process *process)
{
	struct ps_node *node = ARRAY_ADD(&tree->item);

	*node = (struct ps_node){.process = process, .parent = UINT32_MAX, .leaf = true};
	ps_groups_init(&node->groups, process->threads.item, process->threads.count,
		       process->life == PS_ALIVE);
	node->urgent = node->groups.urgent;
	node->key = process_key(node);
}

/* The newest process with the parent's pid that began earlier: pids are reused. */
static uint32_t find_parent(const struct ps_tree *tree, uint32_t of)
{
	uint32_t pid = tree->item.item[of].process->parent;

	for (uint32_t i = of; i-- > 0;)
		if (tree->item.item[i].process->pid == pid)
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

void ps_tree_init(struct ps_tree *tree, const struct ps_picture *picture)
{
	uint32_t killed = 0;

	*tree = (struct ps_tree){.picture = picture};
	for (uint32_t i = 0; i < picture->processes.count; i++)
		killed += was_killed(tree, &picture->processes.item[i]);
	for (uint32_t i = 0; i < picture->processes.count; i++) {
		if (is_shown(tree, &picture->processes.item[i], &killed))
			add_node(tree, &picture->processes.item[i]);
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

static void print_pid(FILE *out, const char *before, const struct ps_process *process)
{
	fprintf(out, "%s%u", before, process->pid);
	if (process->outer_pid)
		fprintf(out, " (%u outside)", process->outer_pid);
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

static void print_end(FILE *out, const struct ps_tree *tree, const struct ps_process *process)
{
	bool live = tree->picture->live;

	if (process->life == PS_ZOMBIE)
		fputs(", zombie: its parent has not reaped it", out);
	if (process->life == PS_ALIVE)
		return;
	if (process->end == MPSAN_END_SIGNAL)
		fprintf(out, ", ended by signal %d (%s)", process->end_value,
			strsignal(process->end_value));
	else if (process->end == MPSAN_END_EXIT)
		fprintf(out, ", exit %d", process->end_value);
	else if (process->life == PS_ENDED ||
		 (live && process->end_ns && process->life == PS_ZOMBIE))
		fputs(", ended", out);
	else if (process->life == PS_LOST)
		fputs(", cannot be examined", out);
	if (live && process->end_ns) {
		AUTO_FREE char *ago = line_lapse(process->end_ns, tree->picture->now_ns);

		fprintf(out, " %s%s ago", process->end_at_least ? "at least " : "", ago);
	}
}

static void print_process(FILE *out, const struct ps_tree *tree, uint32_t index)
{
	const struct ps_node *node = &tree->item.item[index];
	const struct ps_process *process = node->process;
	AUTO_FREE char *age = line_lapse(process->start_ns, tree->picture->now_ns);

	print_pids(out, tree, index);
	if (process->name && !node->like)
		fprintf(out, " %s:", process->name);
	fprintf(out, " %s", process->command);
	if (strcmp(process->how, "root"))
		fprintf(out, " (%s)", process->how);
	if (tree->picture->live && process->start_ns && process->life != PS_ENDED)
		fprintf(out, ", %s old", age);
	print_end(out, tree, process);
	if (process->unwatched)
		fprintf(out, ", not watched: %s", process->unwatched);
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
