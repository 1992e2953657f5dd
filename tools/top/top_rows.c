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

static enum top_style style_of_wait(const json_t *thread)
{
	const json_t *wait = json_object_get(thread, "waits_for");

	if (json_is_true(json_object_get(wait, "for_ever")))
		return TOP_ERROR;
	if (json_is_object(json_object_get(wait, "owner")))
		return TOP_WARNING;
	return strcmp(jsontext_at(thread, "state"), "waiting") ? TOP_DIM : TOP_PLAIN;
}

static void add_groups(struct top_rows *rows, const struct ps_tree *tree,
		       const struct ps_node *node, uint32_t depth)
{
	for (uint32_t i = 0; i < node->groups.item.count; i++) {
		const struct ps_group *group = &node->groups.item.item[i];
		AUTO_FREE char *text = ps_group_text(group, node->process, tree->now_ns);

		add_keyed(rows,
			  text_format("t %lld %lld", jsontext_number(node->process, "pid"),
				      jsontext_number(group->first, "tid")),
			  style_of_wait(group->first),
			  text_format("%*s- %s", (int)(2 * depth + 2), "", text));
	}
}

/* Its own shared memory; that of processes folded into it differs and is not shown. */
static char *shared_text(const struct ps_node *node)
{
	long long bytes = jsontext_number(node->process, "shm_bytes");
	AUTO_FREE char *size = NULL;

	if (!bytes)
		return text_copy("");
	size = bytes_text((uint64_t)bytes);
	return text_format(", %s shared memory%s", size, node->like ? " each, roughly" : "");
}

static void top_rows_add_process(const struct ps_tree *tree, uint32_t index, uint32_t depth,
				 void *context)
{
	const struct ps_node *node = &tree->item.item[index];
	struct top_rows *rows = context;
	AUTO_FREE char *text = ps_tree_process(tree, index), *shared = shared_text(node);

	add_keyed(rows, text_format("p %lld", jsontext_number(node->process, "pid")), TOP_HEAD,
		  text_format("%*s%s%s", (int)(2 * depth), "", text, shared));
	if (!node->groups.idle && !node->groups.runs)
		add_groups(rows, tree, node, depth);
}

void top_rows_tree(struct top_rows *rows, const struct top_picture *picture)
{
	struct ps_tree tree;

	ps_tree_init(&tree, picture->document);
	ps_tree_walk(&tree, top_rows_add_process, rows);
	if (tree.ended)
		top_rows_add(rows, NULL, TOP_DIM,
			     text_format("%u process%s ended before", tree.ended,
					 tree.ended == 1 ? "" : "es"));
	ps_tree_finish(&tree);
}

/* ---- threads ---- */

struct known {
	const json_t *process, *thread;
	long long since_ns;
	const char *name;
	uint32_t index;
};

static int compare_names(const void *one, const void *other)
{
	const struct known *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	return order ? order : a->index < b->index ? -1 : 1;
}

/* Endless waits first, then the longest; threads that do not wait come last. */
static int compare_ages(const void *one, const void *other)
{
	const struct known *a = one, *b = other;
	bool lost = style_of_wait(a->thread) == TOP_ERROR;

	if (lost != (style_of_wait(b->thread) == TOP_ERROR))
		return lost ? -1 : 1;
	if (a->since_ns != b->since_ns)
		return (uint64_t)(a->since_ns - 1) < (uint64_t)(b->since_ns - 1) ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

char *top_thread_text(const json_t *process, const json_t *thread, long long now_ns)
{
	struct ps_groups groups;
	json_auto_t *alone = json_pack("{s:O, s:O, s:[O]}", "pid", json_object_get(process, "pid"),
				       "state", json_object_get(process, "state"), "threads",
				       thread);
	char *text;

	ps_groups_init(&groups, alone);
	text = ps_group_text(&groups.item.item[0], alone, now_ns);
	ps_groups_finish(&groups);
	return text;
}

void top_rows_threads(struct top_rows *rows, const struct top_picture *picture, enum top_sort sort)
{
	long long now_ns = jsontext_number(picture->document, "time_ns");
	json_t *process, *thread;
	ARRAY(struct known) list = {0};

	JSON_EACH(process, json_object_get(picture->document, "processes"))
		JSON_EACH(thread, json_object_get(process, "threads"))
			*ARRAY_ADD(&list) = (struct known){
				process, thread,
				jsontext_number(json_object_get(thread, "waits_for"), "since_ns"),
				jsontext_at(thread, "name"), list.count};
	if (list.count)
		qsort(list.item, list.count, sizeof(struct known),
		      sort == TOP_BY_NAME ? compare_names : compare_ages);
	for (uint32_t at = 0; at < list.count; at++) {
		const struct known *known = &list.item[at];
		AUTO_FREE char *text = top_thread_text(known->process, known->thread, now_ns);

		add_keyed(rows,
			  text_format("t %lld %lld", jsontext_number(known->process, "pid"),
				      jsontext_number(known->thread, "tid")),
			  style_of_wait(known->thread),
			  text_format("%7lld %s", jsontext_number(known->process, "pid"), text));
	}
	free(list.item);
}

/* ---- findings ---- */

static int compare_findings(const void *one, const void *other)
{
	long long a = jsontext_number(*(json_t *const *)one, "time_ns"),
		  b = jsontext_number(*(json_t *const *)other, "time_ns");

	return a < b ? 1 : a > b ? -1 : 0;
}

static enum top_style style_of_grade(const json_t *finding)
{
	const char *grade = jsontext_at(finding, "severity");

	return !strcmp(grade, "error")	 ? TOP_ERROR :
	       !strcmp(grade, "warning") ? TOP_WARNING :
					   TOP_NOTE;
}

void top_rows_findings(struct top_rows *rows, const struct top_picture *picture)
{
	const json_t *findings = json_object_get(picture->document, "findings");
	long long now_ns = jsontext_number(picture->document, "time_ns");
	size_t count = json_array_size(findings);
	AUTO_FREE const json_t **list = memory_get(count * sizeof(*list));

	for (size_t i = 0; i < count; i++)
		list[i] = json_array_get(findings, i);
	if (count)
		qsort(list, count, sizeof(*list), compare_findings);
	for (size_t i = 0; i < count; i++) {
		AUTO_FREE char *ago = line_lapse(jsontext_number(list[i], "time_ns"), now_ns);

		add_keyed(rows, text_format("f %s", jsontext_at(list[i], "fingerprint")),
			  style_of_grade(list[i]),
			  text_format("%s ago: %s: %s: %s", ago, jsontext_at(list[i], "severity"),
				      jsontext_at(list[i], "rule"),
				      jsontext_at(list[i], "message")));
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

static void add_users(struct top_rows *rows, const json_t *document)
{
	json_t *process;

	JSON_EACH(process, json_object_get(document, "processes")) {
		long long bytes = jsontext_number(process, "shm_bytes");
		AUTO_FREE char *size = bytes_text((uint64_t)bytes),
			       *command = ps_command(json_incref(json_object_get(process, "argv")));

		if (bytes)
			add_keyed(rows, text_format("p %lld", jsontext_number(process, "pid")),
				  TOP_HEAD,
				  text_format("%10s  in process %lld %s", size,
					      jsontext_number(process, "pid"), command));
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
	add_users(rows, picture->document);
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
