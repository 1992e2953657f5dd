/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: opens a session and examines its living processes. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../reader/hidepid.h"
#include "../symbols/pyview.h"
#include "ps.h"

#define BETWEEN_MS 200

/*
 * Whether a process is alive, by /proc: the supervisor may not have recorded the end of the
 * session.
 */
static bool somebody_lives(const struct reader *reader)
{
	READER_EACH_SLOT(reader, slot)
		if (reader->session.table[slot].pid && !reader->session.table[slot].end_ns &&
		    session_liveness(&reader->session, slot) != GONE)
			return true;
	return false;
}

void ps_end(struct ps *ps)
{
	uint64_t end_ns = reader_end_ns(ps->reader);

	ps->now_ns = end_ns ? end_ns : ps->reader->last_ns;
	reader_finish(ps->reader, ps->now_ns);
	judge_triggers(ps->judge);
}

struct ps_own {
	struct reader reader;
	struct grades grades;
	struct judge judge;
	struct snapshot snapshot;
	struct waits waits;
	struct graph graph;
};

char *ps_open(struct ps *ps, const char *dir)
{
	struct ps_own *own = memory_get(sizeof(*own));
	char *wrong = reader_open(&own->reader, dir, false);

	if (wrong) {
		free(own);
		return wrong;
	}
	*ps = (struct ps){.reader = &own->reader,
			  .judge = &own->judge,
			  .snapshot = &own->snapshot,
			  .waits = &own->waits,
			  .graph = &own->graph,
			  .own = own};
	grades_init(&own->grades);
	judge_init(ps->judge, ps->reader, &own->grades, NULL);
	snapshot_init(ps->snapshot, ps->reader);
	ps->learned_ns = memory_get(ps->reader->session.slots * sizeof(*ps->learned_ns));
	reader_read(ps->reader);
	ps->now_ns = clock_ns(CLOCK_MONOTONIC);
	ps->live = somebody_lives(ps->reader);
	if (!ps->live)
		ps_end(ps);
	return NULL;
}

static void forget_python(struct ps *ps)
{
	if (ps->python)
		pyview_close(ps->python);
	ps->python = NULL;
	ps->python_slot = 0;
}

void ps_close(struct ps *ps)
{
	kept_end();
	forget_python(ps);
	pyview_finish();
	ps_kept_finish(&ps->kept);
	ps_kept_finish(&ps->kept_before);
	pipes_free(&ps->pipes);
	free(ps->learned_ns);
	if (!ps->own)
		return;
	graph_finish(ps->graph);
	waits_finish(ps->waits);
	snapshot_finish(ps->snapshot);
	judge_finish(ps->judge);
	reader_close(ps->reader);
	free(ps->own);
}

static void count_hidden(struct ps *ps)
{
	ps->unseen = hidepid_count(ps->reader);
	ps->hidden = ps->unseen;
	ps->hidden_pid = 0;
	for (uint32_t i = 0; i < ps->snapshot->processes.count; i++) {
		const struct snapshot_process *process = &ps->snapshot->processes.item[i];
		uint32_t unknown = 0;

		for (uint32_t k = process->begin; k < process->end; k++)
			unknown += ps->snapshot->threads.item[k].call.state == PROC_UNKNOWN &&
				   proc_stat(process->pid, ps->snapshot->threads.item[k].tid).state;
		if (unknown != process->end - process->begin)
			continue;
		ps->hidden++;
		ps->hidden_pid = process->pid;
	}
}

/* Whether a signal handler could still end the wait of a thread that looks deadlocked. */
static bool check_handlers(struct ps *ps)
{
	bool changed = false;

	for (uint32_t i = 0; i < ps->graph->count; i++)
		if (ps->graph->dead[i] && waits_check_handlers(ps->waits, i))
			changed = true;
	return changed;
}

/* As the supervisor does (deadlocks.c). */
static void ps_look_solve(struct ps *ps)
{
	waits_find(ps->waits, ps->snapshot);
	graph_solve(ps->graph, ps->waits, UINT64_MAX);
	while (check_handlers(ps))
		graph_solve(ps->graph, ps->waits, UINT64_MAX);
}

static void forget_gone(struct ps *ps)
{
	READER_EACH_SLOT(ps->reader, slot)
		if (ps->learned_ns[slot] && ps->reader->processes[slot].gone) {
			frames_forget(ps->judge->frames, slot);
			ps->learned_ns[slot] = 0;
		}
}

void ps_over(struct ps *ps, struct deadlocks *deadlocks, struct judge *judge)
{
	*ps = (struct ps){.reader = judge->reader,
			  .judge = judge,
			  .snapshot = &deadlocks->snapshot,
			  .waits = &deadlocks->waits,
			  .graph = &deadlocks->graph,
			  .live = somebody_lives(judge->reader),
			  .first_ns = deadlocks->snapshot.now_ns,
			  .now_ns = clock_ns(CLOCK_MONOTONIC)};
	ps->learned_ns = memory_get(ps->reader->session.slots * sizeof(*ps->learned_ns));
	kept_begin();
	ps_look_solve(ps);
	count_hidden(ps);
}

/* Analyses the snapshot that was just taken. */
static void conclude(struct ps *ps)
{
	ps_look_solve(ps);
	judge_triggers(ps->judge);
	count_hidden(ps);
	forget_python(ps); /* a process may have loaded Python since */
	forget_gone(ps);
	ps->unwound = ps->claims = 0;
	ps->piped = false;
	ps_kept_turn(ps);
}

void ps_look(struct ps *ps)
{
	reader_poll(ps->reader, clock_ns(CLOCK_MONOTONIC));
	ps->first_ns = clock_ns(CLOCK_MONOTONIC);
	snapshot_take(ps->snapshot, ps->first_ns);
	poll(NULL, 0, BETWEEN_MS);
	ps->now_ns = clock_ns(CLOCK_MONOTONIC);
	reader_poll(ps->reader, ps->now_ns);
	snapshot_take(ps->snapshot, ps->now_ns);
	conclude(ps);
}

bool ps_look_again(struct ps *ps)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	reader_poll(ps->reader, now_ns);
	ps->live = somebody_lives(ps->reader);
	if (!ps->live)
		return false;
	ps->first_ns = ps->now_ns;
	ps->now_ns = now_ns;
	snapshot_take(ps->snapshot, ps->now_ns);
	conclude(ps);
	return true;
}
