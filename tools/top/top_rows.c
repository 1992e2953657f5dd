/* SPDX-License-Identifier: Apache-2.0 */
/* See top.h: the rows of each page. */
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../evidence/text_cuda.h"
#include "../ps/ps_tree.h"
#include "top.h"

/* ---- rows ---- */

void top_rows_add(struct top_rows *rows, const char *key, enum top_style style, char *text)
{
	*ARRAY_ADD(&rows->item) = (struct top_row){
		.key = key ? text_copy(key) : NULL, .text = top_plain(text), .style = style};
	free(text);
}

void top_rows_lines(struct top_rows *rows, enum top_style style, char *text)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		if (*line || rest)
			top_rows_add(rows, NULL, style, text_copy(line));
	free(text);
}

void top_rows_finish(struct top_rows *rows)
{
	for (uint32_t i = 0; i < rows->item.count; i++) {
		free(rows->item.item[i].key);
		free(rows->item.item[i].text);
	}
	free(rows->item.item);
	*rows = (struct top_rows){0};
}

static void add_keyed(struct top_rows *rows, char *key, enum top_style style, char *text)
{
	top_rows_add(rows, key, style, text);
	free(key);
}

/* ---- processes ---- */

static enum top_style style_of_wait(const struct ps_thread *thread)
{
	if (thread->waits.for_ever)
		return TOP_ERROR;
	if (thread->waits.owner.tid)
		return TOP_WARNING;
	return thread->state == PS_WAITING ? TOP_PLAIN : TOP_DIM;
}

static void add_groups(struct top_rows *rows, const struct ps_tree *tree,
		       const struct ps_node *node, uint32_t depth)
{
	for (uint32_t i = 0; i < node->groups.item.count; i++) {
		const struct ps_group *group = &node->groups.item.item[i];
		AUTO_FREE char *text = ps_group_text(group, node->process, tree->picture->now_ns);

		add_keyed(rows, text_format("t %u %u", node->process->pid, group->first->tid),
			  style_of_wait(group->first),
			  text_format("%*s- %s", (int)(2 * depth + 2), "", text));
	}
}

/* Its own shared memory; that of processes folded into it differs and is not shown. */
static char *shared_text(const struct ps_node *node)
{
	AUTO_FREE char *size = NULL;

	if (!node->process->shm_bytes)
		return text_copy("");
	size = bytes_text(node->process->shm_bytes);
	return text_format(", %s shared memory%s", size, node->like ? " each, roughly" : "");
}

static void top_rows_add_process(const struct ps_tree *tree, uint32_t index, uint32_t depth,
				 void *context)
{
	const struct ps_node *node = &tree->item.item[index];
	struct top_rows *rows = context;
	AUTO_FREE char *text = ps_tree_process(tree, index), *shared = shared_text(node);

	add_keyed(rows, text_format("p %u", node->process->pid), TOP_HEAD,
		  text_format("%*s%s%s", (int)(2 * depth), "", text, shared));
	if (!node->groups.idle && !node->groups.runs)
		add_groups(rows, tree, node, depth);
}

void top_rows_tree(struct top_rows *rows, const struct top_picture *picture)
{
	struct ps_tree tree;

	ps_tree_init(&tree, picture->found);
	ps_tree_walk(&tree, top_rows_add_process, rows);
	if (tree.ended)
		top_rows_add(rows, NULL, TOP_DIM,
			     text_format("%u process%s ended before", tree.ended,
					 tree.ended == 1 ? "" : "es"));
	ps_tree_finish(&tree);
}

/* ---- threads ---- */

struct known {
	const struct ps_process *process;
	const struct ps_thread *thread;
	uint32_t index;
};

static int compare_names(const void *one, const void *other)
{
	const struct known *a = one, *b = other;
	int order = strcmp(a->thread->name ?: "", b->thread->name ?: "");

	return order ? order : a->index < b->index ? -1 : 1;
}

/* Endless waits first, then the longest; threads that do not wait come last. */
static int compare_ages(const void *one, const void *other)
{
	const struct known *a = one, *b = other;
	long long since = a->thread->waits.since_ns, than = b->thread->waits.since_ns;
	bool lost = style_of_wait(a->thread) == TOP_ERROR;

	if (lost != (style_of_wait(b->thread) == TOP_ERROR))
		return lost ? -1 : 1;
	if (since != than)
		return (uint64_t)(since - 1) < (uint64_t)(than - 1) ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

char *top_thread_text(const struct ps_process *process, const struct ps_thread *thread,
		      long long now_ns)
{
	struct ps_groups groups;
	char *text;

	ps_groups_init(&groups, thread, 1, process->life == PS_ALIVE);
	text = ps_group_text(&groups.item.item[0], process, now_ns);
	ps_groups_finish(&groups);
	return text;
}

void top_rows_threads(struct top_rows *rows, const struct top_picture *picture, enum top_sort sort)
{
	ARRAY(struct known) list = {0};

	EACH_THREAD(picture->found, process, thread) {
		uint32_t index = list.count;

		*ARRAY_ADD(&list) = (struct known){process, thread, index};
	}
	if (list.count)
		qsort(list.item, list.count, sizeof(struct known),
		      sort == TOP_BY_NAME ? compare_names : compare_ages);
	for (uint32_t at = 0; at < list.count; at++) {
		const struct known *known = &list.item[at];
		AUTO_FREE char *text =
			top_thread_text(known->process, known->thread, picture->found->now_ns);

		add_keyed(rows, text_format("t %u %u", known->process->pid, known->thread->tid),
			  style_of_wait(known->thread),
			  text_format("%7u %s", known->process->pid, text));
	}
	free(list.item);
}

/* ---- findings ---- */

/* The newest first. */
static int compare_findings(const void *one, const void *other)
{
	const struct ps_finding *const *a = one, *const *b = other;
	long long time = jsontext_number((*a)->told, "time_ns"),
		  than = jsontext_number((*b)->told, "time_ns");

	return time < than ? 1 : time > than ? -1 : 0;
}

static enum top_style style_of_grade(enum grade grade)
{
	return grade == GRADE_ERROR ? TOP_ERROR : grade == GRADE_WARNING ? TOP_WARNING : TOP_NOTE;
}

void top_rows_findings(struct top_rows *rows, const struct top_picture *picture)
{
	const struct ps_picture *found = picture->found;
	uint32_t count = found->findings.count;
	const struct ps_finding **list = memory_get((count + 1) * sizeof(*list));

	for (uint32_t i = 0; i < count; i++)
		list[i] = &found->findings.item[i];
	if (count)
		qsort(list, count, sizeof(*list), compare_findings);
	for (uint32_t i = 0; i < count; i++) {
		const json_t *told = list[i]->told;
		AUTO_FREE char *ago = line_lapse(jsontext_number(told, "time_ns"), found->now_ns);

		add_keyed(rows, text_format("f %s", jsontext_at(told, "fingerprint")),
			  style_of_grade(list[i]->grade),
			  text_format("%s ago: %s: %s: %s", ago, grade_text(list[i]->grade),
				      jsontext_at(told, "rule"), list[i]->message));
	}
}

/* ---- shared memory and exports ---- */

static void add_export(struct top_rows *rows, const json_t *export)
{
	size_t open = json_array_size(json_object_get(export, "importers"));
	const char *name = jsontext_at(export, "name");
	AUTO_FREE char *size = bytes_text((uint64_t)jsontext_number(export, "bytes"));

	add_keyed(rows, text_format("p %lld", jsontext_number(export, "pid")), TOP_PLAIN,
		  text_format("%10s  of device %lld exported by process %lld%s%s (%s), open in %zu "
			      "process%s%s",
			      size, jsontext_number(export, "device"),
			      jsontext_number(export, "pid"), *name ? " as " : "", name,
			      jsontext_at(export, "kind"), open, open == 1 ? "" : "es",
			      json_is_true(json_object_get(export, "freed")) ?
				      ", freed by its owner" :
				      ""));
}

static void add_segment(struct top_rows *rows, const json_t *segment)
{
	size_t mapped = json_array_size(json_object_get(segment, "mappers")),
	       open = json_array_size(json_object_get(segment, "holders"));
	const char *name = jsontext_at(segment, "name");
	AUTO_FREE char *size = bytes_text((uint64_t)jsontext_number(segment, "bytes"));

	add_keyed(rows,
		  text_format("m %lld %lld", jsontext_number(segment, "device"),
			      jsontext_number(segment, "inode")),
		  TOP_PLAIN,
		  text_format("%10s  %s%s, mapped by %zu process%s%s%s", size,
			      *name ? name : "without a name",
			      json_is_true(json_object_get(segment, "tensor")) ? ", a tensor" : "",
			      mapped, mapped == 1 ? "" : "es", open ? ", open elsewhere" : "",
			      json_is_true(json_object_get(segment, "linked")) ?
				      ", its name is in /dev/shm" :
				      ""));
}

static void add_users(struct top_rows *rows, const struct ps_picture *found)
{
	for (uint32_t i = 0; i < found->processes.count; i++) {
		const struct ps_process *process = &found->processes.item[i];
		AUTO_FREE char *size = bytes_text(process->shm_bytes);

		if (process->shm_bytes)
			add_keyed(rows, text_format("p %u", process->pid), TOP_HEAD,
				  text_format("%10s  in process %u %s", size, process->pid,
					      process->command));
	}
}

void top_rows_memory(struct top_rows *rows, const struct top_picture *picture)
{
	const json_t *made = json_object_get(picture->memory, "made"),
		     *segments = json_object_get(picture->memory, "segments");
	long long count = jsontext_number(made, "segments");
	AUTO_FREE char *size = bytes_text((uint64_t)jsontext_number(made, "bytes"));
	json_t *segment;

	top_rows_add(rows, NULL, TOP_DIM,
		     count ? text_format("shared memory: %zu segments, of %lld created (%s in all)",
					 json_array_size(segments), count, size) :
			     text_copy("no shared memory created so far"));
	add_users(rows, picture->found);
	JSON_EACH(segment, segments)
		add_segment(rows, segment);
	JSON_EACH(segment, json_object_get(picture->exports, "exports"))
		add_export(rows, segment);
}

/* ---- help ---- */

void top_rows_help(struct top_rows *rows)
{
	static const char text[] =
		"t         switch between processes with their waits and a list of all threads\n"
		"f         findings, newest first\n"
		"m         memory: per process, shared segments, exported device memory\n"
		"Enter     details of the selected line: stacks, Python frames, locks, evidence\n"
		"Esc       back\n"
		"up down   also k j, PgUp PgDn, Home End; left right scroll sideways\n"
		"s         sort threads by age of wait, or by name\n"
		"/         show only lines that contain a text; Enter applies it, Esc clears it\n"
		"p         pause and resume\n"
		"h ?       this\n"
		"q         quit; the program keeps running\n";

	top_rows_lines(rows, TOP_PLAIN, text_copy(text));
}
