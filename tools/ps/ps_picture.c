/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in what is known of each process and its threads. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../attach/rights.h"
#include "../base/jsontext.h"
#include "../base/limit.h"
#include "../evidence/text_locks.h"
#include "../evidence/text_process.h"
#include "../reader/hidepid.h"
#include "../reader/unwatched.h"
#include "../report/follow.h"
#include "../report/report.h"
#include "ipc_list.h"
#include "ps.h"
#include "ps_text.h"
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

static enum ps_life life_of(const struct ps *ps, uint32_t slot, uint32_t seen)
{
	if (seen != SNAPSHOT_NONE)
		return PS_ALIVE;
	if (is_zombie(ps, slot))
		return PS_ZOMBIE;
	if (ps->live && !ps->reader->processes[slot].gone)
		return PS_LOST;
	return PS_ENDED;
}

/*
 * What an earlier picture has of a thread that has not run since: reading a stack costs a hundred times as much. Both
 * have the kernel's order.
 */
static const struct ps_thread *find_still(const struct ps_process *before, uint32_t *from,
					  const struct snapshot_thread *thread)
{
	uint32_t count = before && thread->call.state == PROC_IN_CALL && thread->runs ?
				 before->threads.count :
				 0;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t at = (*from + k) % count;
		const struct ps_thread *old = &before->threads.item[at];

		if (old->tid != thread->own_tid)
			continue;
		*from = at + 1;
		return old->still_ns && old->still_ns == thread->still_ns ? old : NULL;
	}
	return NULL;
}

/* The same process in an earlier picture: both have the order of beginnings. */
static const struct ps_process *find_before(const struct ps_picture *before, uint32_t *from,
					    uint32_t slot)
{
	uint32_t count = before ? before->processes.count : 0;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t at = (*from + k) % count;

		if (before->processes.item[at].slot != slot)
			continue;
		*from = at + 1;
		return &before->processes.item[at];
	}
	return NULL;
}

static void look_at_threads(struct ps *ps, uint32_t seen, const struct ps_process *before,
			    struct ps_process *process)
{
	const struct snapshot_process *living = &ps->snapshot->processes.item[seen];
	uint32_t from = 0;

	for (uint32_t i = living->begin; i < living->end; i++)
		ps_thread_look(ps, i, find_still(before, &from, &ps->snapshot->threads.item[i]),
			       ARRAY_ADD(&process->threads));
}

struct recall {
	struct ps *ps;
	uint32_t slot;
	struct ps_process *process;
};

/* Locks that a thread of an ended process still holds by its record. */
static void recall_thread(const struct mpsan_thread *record, void *context)
{
	const struct recall *recall = context;
	struct ps_thread thread;

	if (record->tid && ps_thread_recall(recall->ps, recall->slot, record, &thread))
		*ARRAY_ADD(&recall->process->threads) = thread;
}

static char *line_of(const struct mpsan_process *row)
{
	json_auto_t *argv = process_argv(row);
	char *line = text_copy("");
	json_t *word;

	JSON_EACH(word, argv)
		line = text_join(line, " ", text_copy(json_string_value(word)));
	return line;
}

static long long real_of(const struct ps *ps, uint64_t time_ns)
{
	return time_ns ? (long long)reader_real_ns(ps->reader, time_ns) : 0;
}

static void look_at_process(struct ps *ps, const struct ps_picture *before, uint32_t *from,
			    struct ps_picture *picture, uint32_t slot)
{
	const struct mpsan_process *row = &ps->reader->session.table[slot];
	const struct mpsan_session *head = ps->reader->session.head;
	uint32_t seen = ps->live ? snapshot_process(ps->snapshot, slot) : SNAPSHOT_NONE;
	struct ps_process *process;

	if (!row->pid || row->flags & MPSAN_PROCESS_REPLACED)
		return;
	process = ARRAY_ADD(&picture->processes);
	*process =
		(struct ps_process){.slot = slot,
				    .pid = row->pid,
				    .parent = row->parent_pid,
				    .outer_pid = process_outer_pid(ps->reader, slot),
				    .rank = mpsan_process_rank(row),
				    .name = jsontext_safe(process_given_name(ps->reader, slot)),
				    .command = ps_command(process_argv(row)),
				    .line = line_of(row),
				    .how = how_text(row->how),
				    .unwatched = jsontext_safe(process_unwatched(ps->reader, slot)),
				    .start_ns = real_of(ps, row->birth_ns),
				    .end_ns = real_of(ps, row->end_ns),
				    .life = life_of(ps, slot, seen),
				    .told = process_json(ps->reader, slot)};
	if (row->end == MPSAN_END_SIGNAL || row->end_value >= 0) {
		process->end = row->end;
		process->end_value = row->end_value;
	}
	if (seen != SNAPSHOT_NONE) {
		look_at_threads(ps, seen, find_before(before, from, slot), process);
		for (unsigned i = 0; i < PS_ENDINGS; i++)
			process->ignores[i] = proc_ignores(session_pid(&ps->reader->session, slot),
							   ps_endings[i].number);
	} else {
		ps_each_record(ps, slot, recall_thread, &(struct recall){ps, slot, process});
	}
	/* before it was seen */
	process->end_at_least = head->outside && row->end_ns && row->end_ns <= head->start_ns;
}

static void free_thread(struct ps_thread *thread)
{
	for (uint32_t i = 0; i < thread->holds.count; i++) {
		free(thread->holds.item[i].name);
		free(thread->holds.item[i].text);
		free(thread->holds.item[i].taken);
	}
	free(thread->holds.item);
	free(thread->waits.name);
	free(thread->waits.text);
	free(thread->waits.call);
	free(thread->waits.owner.name);
	free(thread->name);
	free(thread->at);
	free(thread->lock);
	free(thread->about);
	free(thread->raised);
	free(thread->handler);
	json_decref(thread->stack);
	json_decref(thread->python);
	json_decref(thread->handling);
}

static void drop_findings(struct ps_picture *picture)
{
	for (uint32_t i = 0; i < picture->findings.count; i++) {
		json_decref(picture->findings.item[i].told);
		free(picture->findings.item[i].message);
	}
	picture->findings.count = 0;
}

void ps_picture_free(struct ps_picture *picture)
{
	if (!picture)
		return;
	EACH_THREAD(picture, process, thread)
		free_thread(thread);
	for (uint32_t i = 0; i < picture->processes.count; i++) {
		struct ps_process *process = &picture->processes.item[i];

		json_decref(process->told);
		free(process->name);
		free(process->command);
		free(process->line);
		free(process->unwatched);
		free(process->threads.item);
	}
	drop_findings(picture);
	for (uint32_t i = 0; i < picture->triage.count; i++)
		free(picture->triage.item[i].text);
	free(picture->processes.item);
	free(picture->findings.item);
	free(picture->triage.item);
	free(picture->session);
	json_decref(picture->exports);
	json_decref(picture->limits);
	free(picture);
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

static void find_followers(const struct ps_picture *picture)
{
	json_auto_t *document = json_pack("{s:[]}", "findings");

	for (uint32_t i = 0; i < picture->findings.count; i++)
		json_array_append(json_object_get(document, "findings"),
				  picture->findings.item[i].told);
	follow_findings(document);
}

/* The judge has folded them; the most severe come first, as in a report. */
void ps_picture_judge(const struct ps *ps, struct ps_picture *picture)
{
	const struct judge *judge = ps->judge;

	drop_findings(picture);
	for (int grade = GRADE_ERROR; grade >= GRADE_NOTE; grade--)
		for (uint32_t i = 0; i < judge->found.count; i++) {
			const struct judged *judged = &judge->found.item[i];

			if (judged->count && !judged->known && (int)judged->grade == grade)
				*ARRAY_ADD(&picture->findings) = (struct ps_finding){
					judged->grade,
					text_copy(jsontext_at(judged->json, "message")),
					json_incref(judged->json)};
		}
	find_followers(picture);
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

struct ps_picture *ps_picture(struct ps *ps, const struct ps_picture *before)
{
	struct ps_picture *picture = memory_get(sizeof(*picture));
	uint32_t from = 0;

	*picture = (struct ps_picture){.session = jsontext_safe(text_copy(ps->reader->session.dir)),
				       .outside = ps->reader->session.head->outside != 0,
				       .recorded = is_recorded(ps),
				       .live = ps->live,
				       .now_ns = (long long)reader_real_ns(ps->reader, ps->now_ns),
				       .exports = ipc_list_totals(ps->reader->session.dir),
				       .limits = limits_json(ps)};
	READER_EACH_SLOT(ps->reader, slot)
		look_at_process(ps, before, &from, picture, slot);
	ps_tie(picture);
	ps_picture_judge(ps, picture);
	triage(picture);
	return picture;
}
