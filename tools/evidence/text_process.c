/* SPDX-License-Identifier: Apache-2.0 */
/* Names of processes, how they ended, and by which exception. */
#include "text_process.h"

#include <stdlib.h>
#include <string.h>

#include "../base/headline.h"
#include "../facts/exceptions.h"
#include "../facts/processes.h"
#include "../facts/pyframe.h"
#include "../facts/start_methods.h"

char *process_given_name(const struct reader *reader, uint32_t slot)
{
	uint32_t named = process_named(&reader->facts, slot);
	const struct fact_event *event = named == FACT_NONE ? NULL : &reader->facts.events[named];
	const char *name =
		event ? reader_text(reader, event->slot, EVENT_AS(event, process_name)->name) :
			NULL;

	return name ? text_copy(name) : NULL;
}

uint32_t process_outer_pid(const struct reader *reader, uint32_t slot)
{
	const struct session *session = &reader->session;
	uint32_t pid = slot < session->slots ? reader->processes[slot].outer_pid : 0;

	if (!pid && slot < session->slots && session->here)
		pid = session_pid(session, slot);
	return slot < session->slots && pid != session->table[slot].pid ? pid : 0;
}

char *process_number(const struct reader *reader, uint32_t slot)
{
	uint32_t outer = process_outer_pid(reader, slot),
		 pid = slot < reader->session.slots ? reader->session.table[slot].pid : 0;

	return outer ? text_format("%u (%u outside)", pid, outer) : text_format("%u", pid);
}

void process_add_outer(const struct reader *reader, uint32_t slot, json_t *object)
{
	uint32_t outer = process_outer_pid(reader, slot);

	if (outer)
		json_object_set_new(object, "outer_pid", json_integer(outer));
}

char *process_text(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];
	const char *role = role_text(role_of(process));
	AUTO_FREE char *name = process_given_name(reader, slot),
		       *number = process_number(reader, slot);
	char *text;

	if (name)
		text = text_format("%s (pid %s)", name, number);
	else if (role)
		text = text_format("%s (pid %s)", role, number);
	else
		text = text_format("process %s", number);
	return text;
}

/* Of the process, not of its last image; 0: unknown. */
static uint64_t birth_ns(const struct reader *reader, uint32_t slot)
{
	return reader->session.table[process_born_as(&reader->facts, slot)].birth_ns;
}

/* The time as the process's age and since the session's start; one that mpsan attach found ended has none. */
static char *trigger_text(const struct reader *reader, uint32_t slot, uint64_t time_ns)
{
	double session = (double)(int64_t)(time_ns - reader->session.head->start_ns) / 1e9;
	uint64_t birth = birth_ns(reader, slot);

	if (time_ns <= reader->session.head->start_ns)
		return text_copy("before it was looked at");
	if (!birth || birth > time_ns)
		return text_format("%.3f s into the session", session);
	return text_format("at the age of %.3f s (%.3f s into the session)",
			   (double)(time_ns - birth) / 1e9, session);
}

/* "was killed by signal 11 (SIGSEGV: Segmentation fault)"; `why`: for what it aborted, NULL: that is not known. */
static char *killed_text(int number, bool by_itself, const char *why)
{
	AUTO_FREE char *name = text_signal(number);

	return text_format("%s by signal %d (%s: %s)", by_itself ? "killed itself" : "was killed",
			   number, name, why ?: strsignal(number));
}

char *process_ended_text(const struct facts *facts, uint32_t slot)
{
	const struct mpsan_process *process = facts->processes[slot].slot;
	int number = process_end_signal(facts, slot);

	if (number)
		return killed_text(number, false, NULL);
	if (process->end == MPSAN_END_EXIT && process->end_value > 0)
		return text_format("exited with status %d", process->end_value);
	return text_copy(process->end ? "exited" : "ended for an unknown reason");
}

static bool is_installed(const struct pyframe *frame)
{
	bool compiled = frame->file.text[0] != '/' && pytext_has(frame->file, ".pyx");

	return pyframe_is_standard(frame) || pytext_has(frame->file, "-packages/") || compiled;
}

/* The innermost frame of the program's own, else the innermost. */
static char *place_text(const char *frames)
{
	struct pyframe frame, best = {0};
	const char *file;

	while (pyframe_next(&frames, &frame)) {
		if (!best.line.text)
			best = frame;
		if (is_installed(&frame))
			continue;
		best = frame;
		break;
	}
	if (!best.line.text)
		return NULL;
	file = memrchr(best.file.text, '/', best.file.length);
	file = file ? file + 1 : best.file.text;
	return text_format("%.*s (%.*s:%.*s)",
			   (int)(best.function.text + best.function.length - best.class.text),
			   best.class.text, (int)(best.file.text + best.file.length - file), file,
			   (int)best.line.length, best.line.text);
}

/* "ValueError('...')"; NULL: it has no type. */
static char *raised_text(const struct reader *reader, const struct fact_event *fact)
{
	const struct ev_exception *ev = EVENT_AS(fact, exception);
	const char *type = reader_text(reader, fact->slot, ev->type),
		   *says = reader_text(reader, fact->slot, ev->text),
		   *quote = says && strchr(says, '\'') ? "\"" : "'";

	return !type ? NULL :
	       says  ? text_format("%s(%s%s%s)", type, quote, says, quote) :
		       text_copy(type);
}

char *exception_text(const struct reader *reader, uint32_t event, const char *place)
{
	const struct fact_event *fact = &reader->facts.events[event];
	const struct ev_exception *ev = EVENT_AS(fact, exception);
	const char *how = ev->where == MPSAN_WHERE_TERMINATE ? "std::terminate" : "abort()",
		   *says = reader_text(reader, fact->slot, ev->text);
	char *text = raised_text(reader, fact),
	     *raised_at = place_text(reader_text(reader, fact->slot, ev->python));

	if (!text && says) { /* a failed assertion or a panic, with its place */
		free(raised_at);
		return text_copy(says);
	}
	if (exception_is_abort(&reader->facts, event))
		text = text_join(text_copy(how), text ? " after " : "", text ?: text_copy(""));
	if (!raised_at && place)
		raised_at = text_copy(place);
	text = text ?: text_copy("an exception");
	return raised_at ? text_join(text, " at ", raised_at) : text;
}

/* "ended by ValueError('...') at load (data.py:41), with status 1,". */
static char *failed_text(const struct reader *reader, uint32_t slot, const char *place)
{
	const struct mpsan_process *process = reader->facts.processes[slot].slot;
	uint32_t event = exception_of_process(&reader->facts, slot);
	bool aborted = event != FACT_NONE && exception_is_abort(&reader->facts, event),
	     itself = process_ended_itself(&reader->facts, slot);
	AUTO_FREE char *what = NULL;

	if (itself && !aborted)
		return killed_text(process->end_value, true, NULL);
	if (event == FACT_NONE ||
	    (!aborted && (process->end != MPSAN_END_EXIT || process->end_value <= 0)))
		return process_ended_text(&reader->facts, slot);
	what = exception_text(reader, event, place);
	return aborted ? killed_text(process->end_value, itself, what) :
			 text_format("ended by %s, with status %d,", what, process->end_value);
}

char *process_end_marked(const struct reader *reader, uint32_t slot, const char *place)
{
	const struct fact_process *process = &reader->facts.processes[slot];
	AUTO_FREE char *ended = NULL, *when = NULL;
	const char *status;

	if (!process->gone || process->stayed)
		return text_copy(reader->cut_ns ? PROCESS_CUT : PROCESS_STAYED);
	ended = failed_text(reader, slot, place);
	when = trigger_text(reader, slot, process->gone_ns);
	status = memrchr(ended, ',', strlen(ended) - 1);
	if (!text_ends(ended, ",") || !status)
		status = ended + strlen(ended);
	return text_format("%.*s%c%s %s%c", (int)(status - ended), ended, HEADLINE_OPEN, status,
			   when, HEADLINE_SHUT);
}

char *process_end_text(const struct reader *reader, uint32_t slot, const char *place)
{
	AUTO_FREE char *marked = process_end_marked(reader, slot, place);

	return headline_whole(marked);
}

#define NAMED_MAX 6u

char *process_left_text(const struct reader *reader, uint32_t slot)
{
	struct process_walk walk = process_orphans(&reader->facts, slot);
	char *text = text_copy("");
	uint32_t count = 0, other;

	while ((other = process_next_orphan(&reader->facts, &walk)) != FACT_NONE)
		if (count++ < NAMED_MAX)
			text = text_join(text, ", ", process_text(reader, other));
	if (count > NAMED_MAX)
		text = text_join(text, " and ", text_format("%u more", count - NAMED_MAX));
	return text;
}

const char *process_role(const struct reader *reader, uint32_t slot)
{
	switch (role_of(&reader->session.table[slot])) {
	case ROLE_TRACKER:
		return "resource tracker";
	case ROLE_FORK_SERVER:
		return "fork server";
	case ROLE_SHM_MANAGER:
		return "torch_shm_manager";
	default:
		return slot < reader->facts.process_count &&
				       process_is_worker(&reader->facts, slot) ?
			       "worker" :
			       NULL;
	}
}

char *process_spawn_text(const struct reader *reader, const struct fact_fork *fork)
{
	return text_copy(start_method_spawn(
		fork ? reader_text(reader, fork->at.slot, fork->ev.python) : NULL));
}
