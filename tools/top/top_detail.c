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

static void add_holds(struct top_rows *rows, const struct ps_thread *thread)
{
	for (uint32_t i = 0; i < thread->holds.count; i++) {
		const struct ps_hold *hold = &thread->holds.item[i];

		top_rows_add(rows, NULL, hold->wanted ? TOP_WARNING : TOP_PLAIN,
			     text_format("holds %s%s%s%s", hold->text,
					 hold->taken ? " taken at " : "", hold->taken ?: "",
					 hold->wanted ? ": a thread waits for it" : ""));
	}
}

static void add_thread(struct top_rows *rows, const struct ps_process *process,
		       const struct ps_thread *thread, long long now_ns)
{
	top_rows_add(rows, NULL, TOP_HEAD,
		     text_format("process %u, TID %u, %s", process->pid, thread->tid,
				 ps_state_name(thread->state)));
	top_rows_add(rows, NULL, TOP_PLAIN, top_thread_text(process, thread, now_ns));
	if (thread->waits.call)
		top_rows_add(rows, NULL, TOP_DIM,
			     text_format("in the kernel: %s", thread->waits.call));
	add_holds(rows, thread);
	add_frames(rows, "Python:", thread->python);
	add_frames(rows, "raised:", json_object_get(thread->handling, "raised"));
	add_frames(rows, "native:", thread->stack);
}

/* ---- a process ---- */

static void top_detail_add_process(struct top_rows *rows, const struct ps_process *process,
				   long long now_ns)
{
	AUTO_FREE char *age = line_lapse(process->start_ns, now_ns),
		       *size = bytes_text(process->shm_bytes);

	top_rows_add(rows, NULL, TOP_HEAD,
		     text_format("process %u, %s, child of %u by %s, started %s ago", process->pid,
				 ps_life_name(process->life), process->parent, process->how, age));
	top_rows_add(rows, NULL, TOP_PLAIN, text_copy(process->line));
	if (process->unwatched)
		top_rows_add(rows, NULL, TOP_WARNING,
			     text_format("not watched: %s", process->unwatched));
	if (process->shm_bytes)
		top_rows_add(rows, NULL, TOP_PLAIN, text_format("shared memory: %s", size));
	for (uint32_t i = 0; i < process->threads.count; i++) {
		const struct ps_thread *thread = &process->threads.item[i];
		AUTO_FREE char *key = text_format("t %u %u", process->pid, thread->tid);

		top_rows_add(
			rows, key, TOP_PLAIN,
			text_join(text_copy("- "), "", top_thread_text(process, thread, now_ns)));
	}
}

/* ---- a finding, a segment ---- */

static const json_t *find_finding(const struct ps_picture *found, const char *fingerprint)
{
	for (uint32_t i = 0; i < found->findings.count; i++)
		if (!strcmp(jsontext_at(found->findings.item[i].told, "fingerprint"), fingerprint))
			return found->findings.item[i].told;
	return NULL;
}

static const json_t *find_segment(const json_t *memory, long long device, long long inode)
{
	json_t *segment;

	JSON_EACH(segment, json_object_get(memory, "segments"))
		if (jsontext_number(segment, "device") == device &&
		    jsontext_number(segment, "inode") == inode)
			return segment;
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

/* Adds what is known of the thread with that TID, or of the process itself; false: it is gone. */
static bool add_living(struct top_rows *rows, const struct ps_picture *found, char what,
		       long long pid, long long tid)
{
	const struct ps_process *process = NULL;

	for (uint32_t i = 0; i < found->processes.count; i++)
		if (found->processes.item[i].pid == pid) /* the newest: PIDs are reused */
			process = &found->processes.item[i];
	if (process && what == 'p')
		top_detail_add_process(rows, process, found->now_ns);
	if (!process || what == 'p')
		return process;
	for (uint32_t i = process->threads.count; i-- > 0;) {
		if (process->threads.item[i].tid != tid)
			continue;
		add_thread(rows, process, &process->threads.item[i], found->now_ns);
		return true;
	}
	return false;
}

void top_rows_detail(struct top_rows *rows, const struct top_picture *picture, const char *key)
{
	const json_t *finding = NULL, *segment = NULL;
	long long one = 0, other = 0;

	sscanf(key + 1, "%lld %lld", &one, &other);
	if (*key == 'f')
		finding = find_finding(picture->found, key + 2);
	if (*key == 'm')
		segment = find_segment(picture->memory, one, other);
	if (finding || segment)
		add_printed(rows, segment, finding, picture->found->now_ns);
	else if ((*key != 'p' && *key != 't') ||
		 !add_living(rows, picture->found, *key, one, other))
		top_rows_add(rows, NULL, TOP_DIM, text_copy("No longer exists. Esc: back"));
}
