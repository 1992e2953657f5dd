/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether a process was watched, and if not, why: from its slot and its exec. */
#include "unwatched.h"

#include <string.h>

#include "../../include/mpsan_texts.h"
#include "../proc/process/variables.h"

#define LOADING_NS 500000000ull
#define HELPER_NS 5000000000ull

/* What whoever called exec saw of the image to come, not what that image said of itself. */
static bool is_of_exec(uint16_t why)
{
	return (why >= MPSAN_OFF_ENVIRONMENT && why <= MPSAN_OFF_FAILED) ||
	       why == MPSAN_OFF_OTHER_SESSION;
}

/* Whoever called exec could not look at its environment, but it lives. NULL: no reason there. */
static const char *seen_in_environment(const struct reader *reader, uint32_t slot)
{
	uint32_t pid = reader->processes[slot].gone ? 0 : session_pid(&reader->session, slot);
	bool preload;

	if (!pid || !variables_read(pid))
		return NULL;
	preload = variables_get("LD_PRELOAD");
	if (preload && variables_get("MPSAN_DIR"))
		return NULL;
	return mpsan_off_meaning(preload ? MPSAN_OFF_SESSION : MPSAN_OFF_ENVIRONMENT);
}

static char *off_text(uint16_t why)
{
	const char *meaning = is_of_exec(why) || !why ? NULL : mpsan_off_meaning(why);

	return meaning ? text_format("switched off: %s", meaning) : text_copy("switched off");
}

/*
 * A program that had just started when it was killed, or the session ended, may not have loaded the
 * library yet. How it ended may be unknown, if its parent was killed as well.
 */
static bool is_starting(const struct reader *reader, const struct mpsan_process *process,
			uint64_t since_ns)
{
	uint64_t until = process->end_ns ? process->end_ns : reader->now_ns;

	if (process->end_ns && (process->end == MPSAN_END_EXIT || is_of_exec(process->why_off)))
		return false;
	return since_ns + LOADING_NS > until;
}

/* No record was written by the image that it should become. */
static bool is_unheard(const struct reader *reader, const struct mpsan_process *process)
{
	bool spawned = process->how == MPSAN_HOW_POSIX_SPAWN && !process->attach_ns;
	uint64_t since = process->exec_ns || !spawned ? process->exec_ns : process->birth_ns;

	return since && process->attach_ns < since && !is_starting(reader, process, since);
}

char *process_unwatched(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];
	size_t tail = strnlen(process->exec_path, sizeof(process->exec_path));
	const char *seen = is_of_exec(process->why_off) ? mpsan_off_meaning(process->why_off) :
							  NULL;

	if (process->flags & MPSAN_PROCESS_OFF)
		return off_text(process->why_off);
	if (process->flags & MPSAN_PROCESS_REPLACED || process->why_off == MPSAN_OFF_FAILED ||
	    !is_unheard(reader, process))
		return NULL;
	seen = seen ? seen : seen_in_environment(reader, slot);
	return text_format(
		"its program %s%.*s did not %s: %s", tail == sizeof(process->exec_path) ? "…" : "",
		(int)tail, process->exec_path,
		process->why_off == MPSAN_OFF_SESSION ? "join this session" : "load the library",
		seen ? seen : "for an unknown reason");
}

bool process_is_helper(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];

	return process->why_off >= MPSAN_OFF_STATIC && process->why_off <= MPSAN_OFF_MUSL &&
	       process->end == MPSAN_END_EXIT && !reader->facts.processes[slot].children &&
	       process->end_ns < process->birth_ns + HELPER_NS;
}
