/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mpsan could not observe in a session, one line each: nothing is dropped silently. Neighbour:
 * report.h.
 */
#include <stddef.h>
#include <string.h>

#include "../base/guard.h"
#include "../base/jsontext.h"
#include "../base/limit.h"
#include "../reader/export_table.h"
#include "../reader/host.h"
#include "../reader/unwatched.h"
#include "../symbolizer/symbolizer.h"
#include "log_damage.h"
#include "report.h"

#define LEVEL_FORKS "level=forks"
#define LEVEL_LIMIT                                                                                    \
	"with --level=forks no waits, CPU load or messages between processes were watched; deadlocks " \
	"were reported only if a forked child proved its own"
#define NAMED_MAX 8u /* processes listed; further ones are only counted */

/* Counters in the head of a log, and their texts. */
static const struct {
	size_t offset;
	const char *text;
} counters[] = {
	{offsetof(struct mpsan_log, dropped),
	 "records dropped because the log was full (raise --log-max) or could not grow"},
	{offsetof(struct mpsan_log, holds_lost),
	 "locks not tracked because a thread held too many"},
	{offsetof(struct mpsan_log, threads_lost),
	 "threads not tracked because there were too many"},
	{offsetof(struct mpsan_log, stacks_cut),
	 "stacks of which only the innermost 48 KiB were recorded, so that outer frames may be missing"},
	{offsetof(struct mpsan_log, forks_blind),
	 "forks without a snapshot of held locks because they were concurrent"},
	{offsetof(struct mpsan_log, claims_unread),
	 "held locks that could not be verified in memory"},
	{offsetof(struct mpsan_log, orphans_lost),
	 "locks not tracked into a child because too many were held at the fork"},
	{offsetof(struct mpsan_log, modules_skipped),
	 "failures to read the list of loaded modules"},
	{offsetof(struct mpsan_log, exceptions_lost),
	 "exceptions not recorded because their process had met more than 64 others"},
};

static void add_counters(json_t *document, const struct reader *reader)
{
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		uint64_t sum = 0;

		READER_EACH_SLOT(reader, slot)
			if (reader->logs[slot])
				sum += *(const uint64_t *)(reader->logs[slot]->map +
							   counters[i].offset);
		if (sum)
			report_limit(document, "%s: %llu", counters[i].text,
				     (unsigned long long)sum);
	}
}

static void add_damage(json_t *document, const struct reader *reader, uint32_t slot,
		       uint32_t *count)
{
	AUTO_FREE char *wrong = log_damage_told(reader, slot);

	if (wrong && ++*count <= NAMED_MAX)
		report_limit(document, "%s", wrong);
}

static void add_logs(json_t *document, const struct reader *reader)
{
	uint32_t watch = reader->session.slots, count = 0;
	uint64_t bad = 0, unfinished = 0;

	add_damage(document, reader, watch, &count);
	READER_EACH_SLOT(reader, slot)
		add_damage(document, reader, slot, &count);
	for (uint32_t slot = 0; slot <= watch; slot++) {
		bad += reader->logs[slot] ? reader->logs[slot]->bad : 0;
		unfinished += reader->logs[slot] ? reader->logs[slot]->unfinished : 0;
	}
	if (count > NAMED_MAX)
		report_limit(document, "further damaged logs: %u", count - NAMED_MAX);
	if (bad)
		report_limit(document, "damaged records skipped: %llu", (unsigned long long)bad);
	if (unfinished)
		report_limit(
			document,
			"unfinished records skipped: %llu, of threads that were killed or stopped while they wrote them",
			(unsigned long long)unfinished);
}

static void add_processes(json_t *document, const struct reader *reader)
{
	bool removed = reader->session.writable && session_is_removed(&reader->session);
	const struct mpsan_session *head = reader->session.head;
	uint32_t count = 0;

	if (removed)
		report_limit(
			document,
			"the session directory was removed while the program ran: what happened since is unknown");
	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];
		bool known = (removed && process->why_off == MPSAN_OFF_NO_LOG) ||
			     process_is_helper(reader, slot);
		AUTO_FREE char *why = known ? NULL : process_unwatched(reader, slot);

		if (why && ++count <= NAMED_MAX)
			report_limit(document, "process %u was not watched: %s", process->pid, why);
	}
	if (count > NAMED_MAX)
		report_limit(document, "further processes that were not watched: %u",
			     count - NAMED_MAX);
	if (head->unrecorded)
		report_limit(
			document,
			"processes not watched because the session's process table was full%s: %llu",
			head->format > 2 && head->slots < head->slots_max ?
				" and could not grow (full disk, a limit on files, or dropped privileges)" :
				"",
			(unsigned long long)head->unrecorded);
}

/* The library makes do with the system calls that are allowed. */
static void add_filtered(json_t *document, const struct reader *reader)
{
	uint32_t count = 0, first = 0;

	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];

		if (process->why_off != MPSAN_OFF_SECCOMP || process->flags & MPSAN_PROCESS_OFF)
			continue;
		first = count++ ? first : process->pid;
	}
	if (count)
		report_limit(
			document,
			"system calls restricted by seccomp in %u process%s (process %u): what needs the forbidden "
			"calls was not observed",
			count, count > 1 ? "es" : "", first);
}

static void add_total(json_t *document, const struct mpsan_session *head)
{
	if (head->logs_refused)
		report_limit(
			document,
			"processes whose logs could not grow further, because those of the session reached %llu MiB "
			"together (--log-total, half of the free space): %llu",
			(unsigned long long)(head->logs_max >> 20),
			(unsigned long long)head->logs_refused);
}

static void add_level(json_t *document, const struct reader *reader)
{
	const char *options = reader->session.head->options;

	if (memmem(options, strnlen(options, sizeof(reader->session.head->options)), LEVEL_FORKS,
		   strlen(LEVEL_FORKS)))
		report_limit(document, LEVEL_LIMIT);
}

static double seconds_after(uint64_t from_ns, uint64_t at_ns)
{
	return at_ns > from_ns ? (double)(at_ns - from_ns) / 1e9 : 0;
}

/* A report of a moment, or of a session that its supervisor did not see the end of. */
static void add_moment(json_t *document, const struct reader *reader)
{
	const struct mpsan_session *head = reader->session.head;
	AUTO_FREE char *asked = head->asked ? text_signal((int)head->asked) : NULL;

	if (head->failed)
		report_limit(
			document,
			"mpsan itself failed (signal %u) %.1f s after the start: waits, processor load, failed workers and "
			"messages were not looked at after that, and deadlocks were found only by the processes themselves",
			head->failed, seconds_after(head->start_ns, head->failed_ns));
	else if (asked && session_lost_supervisor(&reader->session))
		report_limit(document,
			     "mpsan was killed, not earlier than %.1f s after %s came, before the "
			     "program had ended: how it ended is not known",
			     seconds_after(head->asked_ns, head->seen_ns), asked);
	if (asked && !reader->over && !head->outside)
		report_limit(document, "as of %.1f s after %s came: the program has not ended yet",
			     seconds_after(head->asked_ns, reader->now_ns), asked);
	else if (!reader->over && !head->outside)
		report_limit(document, "the program has not ended yet");
}

#define PYTHON_OWN_LOCKS 0x030d0100u /* 3.13.1: threading.Lock became CPython's own PyMutex */

/* One line per version: uncontended locks never call libc, so frames alone tell who has one. */
static void add_python(json_t *document, const struct reader *reader)
{
	uint32_t told[NAMED_MAX], count = 0;

	READER_EACH_SLOT(reader, slot) {
		uint32_t version = reader->session.table[slot].python >> 8, i = 0;

		while (i < count && told[i] != version)
			i++;
		if (version < PYTHON_OWN_LOCKS >> 8 || i < count || count == NAMED_MAX)
			continue;
		told[count++] = version;
		report_limit(
			document,
			"on this Python (%u.%u.%u) the owner of a threading.Lock is known only while it is in a `with` block: acquire() makes no libc call",
			version >> 16, version >> 8 & 255, version & 255);
	}
}

static void add_events(json_t *document, const struct reader *reader)
{
	for (uint32_t i = 0; i < reader->limits.count; i++) {
		const struct seen_limit *limit = &reader->limits.item[i];
		const char *what = reader_text(reader, limit->at.slot, limit->ev.what);

		if (!what)
			continue;
		if (limit->ev.count > 1)
			report_limit(document, "%s (%llu times, process %u)", what,
				     (unsigned long long)limit->ev.count,
				     reader->session.table[limit->at.by].pid);
		else
			report_limit(document, "%s (process %u)", what,
				     reader->session.table[limit->at.by].pid);
	}
}

static void add_exports(json_t *document, const struct reader *reader)
{
	struct exports exports = {0};
	AUTO_FREE char *wrong = export_table_open(&exports, &reader->session);

	if (wrong)
		report_limit(document, "%s", wrong);
	export_table_limits(&exports, document);
	export_table_close(&exports);
}

/* Once: several sessions of a report share the files. */
static void add_symbols(const char *text, void *document)
{
	json_t *line;

	JSON_EACH(line, json_object_get(document, "limits"))
		if (!strcmp(json_string_value(line), text))
			return;
	report_limit(document, "%s", text);
}

void limits_add(json_t *document, const struct judge *judge)
{
	add_counters(document, judge->reader);
	add_moment(document, judge->reader);
	add_total(document, judge->reader->session.head);
	add_level(document, judge->reader);
	add_logs(document, judge->reader);
	add_processes(document, judge->reader);
	add_filtered(document, judge->reader);
	add_python(document, judge->reader);
	add_events(document, judge->reader);
	add_exports(document, judge->reader);
	symbolizer_each_limit(add_symbols, document);
	if (judge->reader->session.writable && !host_proc_is_own())
		report_limit(document, HOST_NO_PROC);
	if (guard_has_cut())
		report_limit(
			document,
			"session files were truncated while they were read: later events are unknown");
	if (judge->suppressed)
		report_limit(document, "findings suppressed: %u", judge->suppressed);
}
