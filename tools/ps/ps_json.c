/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: builds the document. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../attach/rights.h"
#include "../base/jsontext.h"
#include "../base/limit.h"
#include "../reader/hidepid.h"
#include "../report/report.h"
#include "ipc_list.h"
#include "ps.h"
#include "triage.h"

/* ---- processes ---- */

/* An ended process keeps its pid until its parent reaps it. */
static bool is_zombie(const struct ps *ps, uint32_t slot)
{
	const struct mpsan_process *process = &ps->reader->session.table[slot];
	struct proc_stat stat;
	uint32_t pid;

	if (!ps->live || process->flags & MPSAN_PROCESS_REPLACED)
		return false;
	pid = session_pid(&ps->reader->session, slot);
	stat = proc_stat(pid, pid);
	return proc_stat_ended(&stat) && (stat.parent == process->parent_pid || stat.parent == 1);
}

static const char *state_of(const struct ps *ps, uint32_t slot, uint32_t seen)
{
	if (seen != SNAPSHOT_NONE)
		return "alive";
	if (is_zombie(ps, slot))
		return "zombie";
	if (ps->live && !ps->reader->processes[slot].gone)
		return "unknown";
	return "ended";
}

static json_t *live_threads(struct ps *ps, uint32_t seen)
{
	const struct snapshot_process *process = &ps->snapshot->processes.item[seen];
	json_t *list = json_array();

	for (uint32_t i = process->begin; i < process->end; i++)
		json_array_append_new(list, ps_thread(ps, i));
	return list;
}

void ps_each_record(const struct ps *ps, uint32_t slot,
		    void (*see)(const struct mpsan_thread *record, void *context), void *context)
{
	const struct logfile *log = ps->reader->logs[slot];
	struct mpsan_thread copy;
	const uint32_t *index;
	struct record record;

	index = log ? (const uint32_t *)(log->map + MPSAN_THREAD_INDEX) : NULL;
	for (uint32_t i = 0; index && i < MPSAN_THREADS; i++) {
		if (!index[i] || !reader_record(ps->reader, slot, (uint64_t)index[i] * MPSAN_UNIT,
						EV_thread, &record))
			continue;
		memset(&copy, 0, sizeof(copy)); /* older formats have shorter records */
		memcpy(&copy, record.payload,
		       record.bytes < sizeof(copy) ? record.bytes : sizeof(copy));
		see(&copy, context);
	}
}

struct verdict {
	struct ps *ps;
	uint32_t slot;
	json_t *list;
};

static void ps_json_tell(const struct mpsan_thread *record, void *context)
{
	const struct verdict *verdict = context;
	json_t *thread = record->tid ? ps_record(verdict->ps, verdict->slot, record) : NULL;

	if (thread)
		json_array_append_new(verdict->list, thread);
}

/* Locks that the ended process's threads still hold by their records. */
static json_t *dead_threads(struct ps *ps, uint32_t slot)
{
	struct verdict verdict = {ps, slot, json_array()};

	ps_each_record(ps, slot, ps_json_tell, &verdict);
	return verdict.list;
}

/* The signals that ask a process to end, of those that it ignores. */
static void add_ignored(json_t *process, uint32_t pid)
{
	if (proc_ignores(pid, SIGTERM))
		json_object_set_new(process, "ignores_sigterm", json_true());
	if (proc_ignores(pid, SIGINT))
		json_object_set_new(process, "ignores_sigint", json_true());
	if (proc_ignores(pid, SIGHUP))
		json_object_set_new(process, "ignores_sighup", json_true());
}

static void ps_json_add_process(struct ps *ps, json_t *list, uint32_t slot)
{
	uint32_t seen = ps->live ? snapshot_process(ps->snapshot, slot) : SNAPSHOT_NONE;
	json_t *process = process_json(ps->reader, slot), *threads;

	if (!process || ps->reader->session.table[slot].flags & MPSAN_PROCESS_REPLACED) {
		json_decref(process);
		return;
	}
	json_object_set_new(process, "state", json_string(state_of(ps, slot, seen)));
	threads = seen != SNAPSHOT_NONE ? live_threads(ps, seen) : dead_threads(ps, slot);
	json_object_set_new(process, "threads", threads);
	if (seen != SNAPSHOT_NONE)
		add_ignored(process, session_pid(&ps->reader->session, slot));
	if (ps->reader->session.head->outside &&
	    json_is_integer(json_object_get(process, "end_ns")) &&
	    ps->reader->session.table[slot].end_ns <= ps->reader->session.head->start_ns)
		json_object_set_new(process, "end_at_least", json_true()); /* before it was seen */
	json_array_append_new(list, process);
}

/* ---- limits ---- */

static void say_hidden(const struct ps *ps, json_t *document)
{
	char *missing = ps->hidden_pid ? rights_missing(ps->hidden_pid) :
					 text_copy("/proc is mounted with hidepid; " HIDDEN_CURE);

	if (ps->hidden)
		report_limit(
			document,
			"%u of %u processes cannot be read%s: ptrace permission is missing (%s)",
			ps->hidden, ps->snapshot->processes.count + ps->unseen,
			ps->reader->session.head->outside ?
				"" :
				"; their waits are shown from their own records, without stacks",
			missing);
	free(missing);
}

/* The judge has folded them; the most severe come first, as in a report. */
json_t *ps_findings(const struct ps *ps)
{
	const struct judge *judge = ps->judge;
	json_t *list = json_array();

	for (int grade = GRADE_ERROR; grade >= GRADE_NOTE; grade--)
		for (uint32_t i = 0; i < judge->found.count; i++)
			if (judge->found.item[i].count && !judge->found.item[i].known &&
			    (int)judge->found.item[i].grade == grade)
				json_array_append(list, judge->found.item[i].json);
	return list;
}

static json_t *limits_json(const struct ps *ps)
{
	json_t *holder = json_pack("{s:[]}", "limits"), *limits;

	limits_add(holder, ps->judge);
	say_hidden(ps, holder);
	limits = json_incref(json_object_get(holder, "limits"));
	json_decref(holder);
	return limits;
}

/* Whether nothing was found that is only in the memory of this process. */
static bool is_recorded(const struct ps *ps)
{
	bool recorded = !ps->reader->session.head->outside;

	for (uint32_t i = 0; ps->proves && i < ps->judge->found.count; i++)
		recorded &= !ps->judge->found.item[i].deadlock;
	return recorded;
}

json_t *ps_document(struct ps *ps)
{
	json_t *processes = json_array(), *document;

	READER_EACH_SLOT(ps->reader, slot)
		ps_json_add_process(ps, processes, slot);
	ps_tie(processes);
	document = json_pack("{s:s, s:o, s:b, s:b, s:b, s:I, s:o, s:o, s:o, s:o}", "schema",
			     "mpsan.ps/1", "session", jsontext_of(ps->reader->session.dir),
			     "outside", ps->reader->session.head->outside != 0, "recorded",
			     is_recorded(ps), "live", ps->live, "time_ns",
			     (json_int_t)reader_real_ns(ps->reader, ps->now_ns), "processes",
			     processes, "exports", ipc_list_totals(ps->reader->session.dir),
			     "findings", ps_findings(ps), "limits", limits_json(ps));
	json_object_set_new(document, "triage", triage_of(document));
	return document;
}
