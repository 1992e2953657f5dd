/*
 * Processes of the report: what a slot of the session's table says, and whether it was watched.
 * Neighbour: report.h.
 */
#include <stdlib.h>
#include <string.h>

#include "jsontext.h"
#include "names.h"
#include "names_process.h"
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

#define LOADING_NS 500000000ull

static json_t *end_json(const struct mpsan_process *process)
{
	if (process->end == MPSAN_END_SIGNAL)
		return json_pack("{s:i}", "signal", process->end_value);
	if (process->end == MPSAN_END_EXIT && process->end_value >= 0)
		return json_pack("{s:i}", "code", process->end_value);
	return json_null();
}

static const char *off_text(uint16_t why)
{
	static const char *const text[] = {
		[MPSAN_OFF_NOT] = "switched off",
		[MPSAN_OFF_RESOLVE] = "switched off: a function of the C library was not found",
		[MPSAN_OFF_NO_LOG] = "switched off: no log file could be made",
		[MPSAN_OFF_TABLE_FULL] = "switched off: the session's process table is full",
		[MPSAN_OFF_CONFUSED] = "switched off: an inner check failed",
		[MPSAN_OFF_SECCOMP] = "switched off: the process restricted its system calls (seccomp)",
	};

	return why < sizeof(text) / sizeof(*text) ? text[why] : "switched off";
}

/* A program that was just started when the session ended had no time to load anything. */
static bool is_starting(const struct reader *reader, const struct mpsan_process *process)
{
	return !process->end_ns && process->exec_ns + LOADING_NS > reader->now_ns;
}

char *process_unwatched(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];
	size_t tail = strnlen(process->exec_path, sizeof(process->exec_path));

	if (process->flags & MPSAN_PROCESS_OFF)
		return text_copy(off_text(process->why_off));
	if (process->flags & MPSAN_PROCESS_REPLACED)
		return NULL;
	if (process->exec_ns && process->attach_ns < process->exec_ns &&
	    !is_starting(reader, process))
		return text_format(
			"its program %s%.*s did not load the library (static, set-user-ID, 32-bit, or the "
			"exec failed)",
			tail == sizeof(process->exec_path) ? "…" : "", (int)tail,
			process->exec_path);
	return NULL;
}

json_t *process_json(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];
	char *unwatched, *name;
	const char *role;
	json_t *object;

	if (!process->pid)
		return NULL;
	unwatched = process_unwatched(reader, slot);
	name = process_given_name(reader, slot);
	role = process_role(reader, slot);
	object = json_pack("{s:I, s:I, s:o, s:o, s:s, s:o, s:I, s:o, s:o, s:o}", "pid",
			   (json_int_t)process->pid, "parent", (json_int_t)process->parent_pid,
			   "name", name ? jsontext_of(name) : json_null(), "role",
			   role ? json_string(role) : json_null(), "how", how_text(process->how), "argv", process_argv(process), "start_ns",
			   (json_int_t)reader_real_ns(reader, process->birth_ns), "end_ns",
			   process->end_ns ? json_integer(reader_real_ns(reader, process->end_ns)) :
					     json_null(),
			   "end", end_json(process), "watched",
			   unwatched ? jsontext_of(unwatched) : json_true());
	if (mpsan_process_rank(process))
		json_object_set_new(object, "rank", json_integer(mpsan_process_rank(process) - 1));
	free(unwatched);
	free(name);
	return object;
}
