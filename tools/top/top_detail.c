/* SPDX-License-Identifier: Apache-2.0 */
/* See top.h: details of one process, thread, finding or shared-memory segment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../evidence/text_cuda.h"
#include "../formats/formats.h"
#include "../ps/ps_memory.h"
#include "../ps/ps_text.h"
#include "top.h"

/* The last entry of a list with these two numbers; pids are reused. */
static json_t *top_detail_find(const json_t *list, const char *key, long long number,
			       const char *other, long long also)
{
	for (size_t i = json_array_size(list); i-- > 0;) {
		json_t *item = json_array_get(list, i);

		if (jsontext_number(item, key) == number &&
		    (!other || jsontext_number(item, other) == also))
			return item;
	}
	return NULL;
}

/* ---- a thread ---- */

static char *frame_line(size_t number, const json_t *frame)
{
	const char *function = jsontext_at(frame, "function"), *file = jsontext_at(frame, "file"),
		   *module = jsontext_at(frame, "module");
	char *line = text_format("  #%zu %s", number, *function ? function : "??");

	if (*file)
		line = text_join(line, " ",
				 text_format("%s:%lld", file, jsontext_number(frame, "line")));
	else if (*module)
		line = text_join(line, " ",
				 text_format("(%s+0x%llx)", path_base(module),
					     jsontext_number(frame, "offset")));
	return line;
}

static void add_frames(struct top_rows *rows, const char *title, const json_t *frames)
{
	json_t *frame;
	size_t i;

	if (!json_array_size(frames))
		return;
	top_rows_add(rows, NULL, TOP_HEAD, text_copy(title));
	json_array_foreach(frames, i, frame)
		top_rows_add(rows, NULL, TOP_PLAIN, frame_line(i, frame));
}

static void add_holds(struct top_rows *rows, const json_t *holds)
{
	json_t *hold;

	JSON_EACH(hold, holds) {
		const char *taken = jsontext_at(hold, "taken");
		bool wanted = json_is_true(json_object_get(hold, "wanted"));

		top_rows_add(rows, NULL, wanted ? TOP_WARNING : TOP_PLAIN,
			     text_format("holds %s%s%s%s", jsontext_at(hold, "text"),
					 *taken ? " taken at " : "", taken,
					 wanted ? ": a thread waits for it" : ""));
	}
}

static void add_thread(struct top_rows *rows, const json_t *process, const json_t *thread,
		       long long now_ns)
{
	const char *call = jsontext_at(json_object_get(thread, "waits_for"), "call");

	top_rows_add(rows, NULL, TOP_HEAD,
		     text_format("process %lld, TID %lld, %s", jsontext_number(process, "pid"),
				 jsontext_number(thread, "tid"), jsontext_at(thread, "state")));
	top_rows_add(rows, NULL, TOP_PLAIN, top_thread_text(process, thread, now_ns));
	if (*call)
		top_rows_add(rows, NULL, TOP_DIM, text_format("in the kernel: %s", call));
	add_holds(rows, json_object_get(thread, "holds"));
	add_frames(rows, "Python:", json_object_get(thread, "python"));
	add_frames(rows, "raised:", json_object_get(json_object_get(thread, "handling"), "raised"));
	add_frames(rows, "native:", json_object_get(thread, "stack"));
}

/* ---- a process ---- */

static void top_detail_add_process(struct top_rows *rows, const json_t *process, long long now_ns)
{
	char *command = text_copy("");
	AUTO_FREE char *age = line_lapse(jsontext_number(process, "start_ns"), now_ns),
		       *size = bytes_text((uint64_t)jsontext_number(process, "shm_bytes"));
	json_t *word, *thread;

	JSON_EACH(word, json_object_get(process, "argv"))
		command = text_join(command, " ", text_copy(json_string_value(word)));
	top_rows_add(rows, NULL, TOP_HEAD,
		     text_format("process %lld, %s, child of %lld by %s, started %s ago",
				 jsontext_number(process, "pid"), jsontext_at(process, "state"),
				 jsontext_number(process, "parent"), jsontext_at(process, "how"),
				 age));
	top_rows_add(rows, NULL, TOP_PLAIN, command);
	if (*jsontext_at(process, "watched"))
		top_rows_add(rows, NULL, TOP_WARNING,
			     text_format("not watched: %s", jsontext_at(process, "watched")));
	if (jsontext_number(process, "shm_bytes"))
		top_rows_add(rows, NULL, TOP_PLAIN, text_format("shared memory: %s", size));
	JSON_EACH(thread, json_object_get(process, "threads")) {
		AUTO_FREE char *key = text_format("t %lld %lld", jsontext_number(process, "pid"),
						  jsontext_number(thread, "tid"));

		top_rows_add(
			rows, key, TOP_PLAIN,
			text_join(text_copy("- "), "", top_thread_text(process, thread, now_ns)));
	}
}

/* ---- a finding, a segment ---- */

static json_t *find_finding(const json_t *document, const char *fingerprint)
{
	json_t *finding;

	JSON_EACH(finding, json_object_get(document, "findings"))
		if (!strcmp(jsontext_at(finding, "fingerprint"), fingerprint))
			return finding;
	return NULL;
}

/* Adds the text that other reports print for `segment` or `finding`. */
static void add_printed(struct top_rows *rows, const json_t *segment, const json_t *finding,
			long long now_ns)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return;
	if (segment)
		ps_memory_print_segment(out, segment, now_ns);
	else
		out_text_finding(out, finding, &(struct text_view){.verbose = true});
	fclose(out);
	top_rows_lines(rows, TOP_PLAIN, text);
}

void top_rows_detail(struct top_rows *rows, const struct top_picture *picture, const char *key)
{
	const json_t *processes = json_object_get(picture->document, "processes"), *process,
		     *found = NULL;
	long long now_ns = jsontext_number(picture->document, "time_ns"), one = 0, other = 0;

	sscanf(key + 1, "%lld %lld", &one, &other);
	process = top_detail_find(processes, "pid", one, NULL, 0);
	if (*key == 'p' && (found = process))
		top_detail_add_process(rows, process, now_ns);
	if (*key == 't' &&
	    (found = top_detail_find(json_object_get(process, "threads"), "tid", other, NULL, 0)))
		add_thread(rows, process, found, now_ns);
	if (*key == 'f' && (found = find_finding(picture->document, key + 2)))
		add_printed(rows, NULL, found, now_ns);
	if (*key == 'm' && (found = top_detail_find(json_object_get(picture->memory, "segments"),
						    "inode", other, "device", one)))
		add_printed(rows, found, NULL, now_ns);
	if (!found)
		top_rows_add(rows, NULL, TOP_DIM, text_copy("No longer exists. Esc: back"));
}
