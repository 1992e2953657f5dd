/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a report, from the slots of the session's table. Neighbour: report.h. */
#include <string.h>

#include "../base/jsontext.h"
#include "../evidence/text_locks.h"
#include "../evidence/text_process.h"
#include "../facts/exceptions.h"
#include "../reader/unwatched.h"
#include "report.h"

json_t *process_argv(const struct mpsan_process *process)
{
	uint32_t bytes = process->argv_bytes < MPSAN_ARGV_BYTES ? process->argv_bytes :
								  MPSAN_ARGV_BYTES;
	json_t *argv = json_array();

	for (uint32_t at = 0; at < bytes;) {
		size_t length = strnlen(process->argv + at, bytes - at);

		json_array_append_new(argv, jsontext_part(process->argv + at, length));
		at += length + 1;
	}
	return argv;
}

static json_t *end_json(const struct mpsan_process *process)
{
	if (process->end == MPSAN_END_SIGNAL)
		return json_pack("{s:i}", "signal", process->end_value);
	if (process->end == MPSAN_END_EXIT && process->end_value >= 0)
		return json_pack("{s:i}", "code", process->end_value);
	return json_null();
}

/* That by which it ended, as text. */
static void add_exception(const struct reader *reader, uint32_t slot, json_t *object)
{
	uint32_t event = slot < reader->facts.process_count ?
				 exception_of_process(&reader->facts, slot) :
				 FACT_NONE;
	AUTO_FREE char *text = event == FACT_NONE ? NULL : exception_text(reader, event, NULL);

	if (text)
		json_object_set_new(object, "exception", jsontext_of(text));
}

json_t *process_json(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];
	AUTO_FREE char *unwatched = NULL, *name = NULL;
	const char *role;
	json_t *object;

	if (!process->pid)
		return NULL;
	unwatched = process_unwatched(reader, slot);
	name = process_given_name(reader, slot);
	role = process_role(reader, slot);
	object = json_pack(
		"{s:I, s:I, s:o, s:o, s:s, s:o, s:I, s:o, s:o, s:o}", "pid",
		(json_int_t)process->pid, "parent", (json_int_t)process->parent_pid, "name",
		name ? jsontext_of(name) : json_null(), "role",
		role ? json_string(role) : json_null(), "how", how_text(process->how), "argv",
		process_argv(process), "start_ns",
		(json_int_t)(process->birth_ns ? reader_real_ns(reader, process->birth_ns) : 0),
		"end_ns",
		process->end_ns ? json_integer(reader_real_ns(reader, process->end_ns)) :
				  json_null(),
		"end", end_json(process), "watched",
		unwatched ? jsontext_of(unwatched) : json_true());
	process_add_outer(reader, slot, object);
	if (mpsan_process_rank(process))
		json_object_set_new(object, "rank", json_integer(mpsan_process_rank(process) - 1));
	if (process->flags & MPSAN_PROCESS_TORCH)
		json_object_set_new(object, "torch", json_true());
	add_exception(reader, slot, object);
	return object;
}
