/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: opens a session and examines its living processes. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../reader/hidepid.h"
#include "../symbols/pyview.h"
#include "../waitgraph/verdict.h"
#include "ps.h"

#define BETWEEN_MS 200
#define PROOF_NS 1250000000ull /* threads of Python are asked after a second */

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
	struct deadlocks deadlocks;
};

/* Whether somebody else proves what there is to prove, and records it. */
static bool is_supervised(const struct session *session)
{
	const struct mpsan_session *head = session->head;

	return head->supervisor && head->supervisor != (uint32_t)getpid() &&
	       !session_lost_supervisor(session);
}

static void ps_point(struct ps *ps, struct deadlocks *deadlocks)
{
	ps->deadlocks = deadlocks;
	ps->snapshot = &deadlocks->snapshot;
	ps->waits = &deadlocks->waits;
	ps->graph = &deadlocks->graph;
	ps->learned_ns = memory_get(ps->reader->session.slots * sizeof(*ps->learned_ns));
}

char *ps_open(struct ps *ps, const char *dir)
{
	struct ps_own *own = memory_get(sizeof(*own));
	char *wrong = reader_open(&own->reader, dir, false);

	if (wrong) {
		free(own);
		return wrong;
	}
	*ps = (struct ps){.reader = &own->reader, .judge = &own->judge, .own = own};
	grades_init(&own->grades);
	judge_init(ps->judge, ps->reader, &own->grades, NULL);
	ps->proves = !ps->reader->session.head->end_ns && !is_supervised(&ps->reader->session);
	deadlocks_init_beside(&own->deadlocks, ps->reader, ps->proves);
	ps_point(ps, &own->deadlocks);
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
		free(ps->python);
	ps->python = NULL;
	ps->python_slot = 0;
}

void ps_close(struct ps *ps)
{
	kept_end();
	forget_python(ps);
	pyview_finish();
	pipes_free(&ps->pipes);
	free(ps->learned_ns);
	if (!ps->own)
		return;
	deadlocks_finish(ps->deadlocks);
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

static void forget_gone(struct ps *ps)
{
	READER_EACH_SLOT(ps->reader, slot)
		if (ps->learned_ns[slot] && ps->reader->processes[slot].gone) {
			frames_forget(ps->judge->frames, slot);
			ps->learned_ns[slot] = 0;
		}
}

/* Before a verdict the engine opens waits that it cannot be sure of: who has what is found again, to be shown. */
static void find_owners(struct ps *ps)
{
	waits_find(ps->waits, ps->snapshot);
	graph_solve(ps->graph, ps->waits, UINT64_MAX);
}

void ps_over(struct ps *ps, struct deadlocks *deadlocks, struct judge *judge)
{
	*ps = (struct ps){.reader = judge->reader,
			  .judge = judge,
			  .live = somebody_lives(judge->reader),
			  .first_ns = deadlocks->snapshot.now_ns,
			  .now_ns = clock_ns(CLOCK_MONOTONIC)};
	ps_point(ps, deadlocks);
	kept_begin();
	ps_find_proved(ps);
	find_owners(ps);
	count_hidden(ps);
}

/* One more snapshot, and what it proves. */
static void ps_look_once(struct ps *ps)
{
	ps->now_ns = clock_ns(CLOCK_MONOTONIC);
	reader_poll(ps->reader, ps->now_ns);
	if (ps->proves) {
		ps->deadlocks->next_ns = 0;
		deadlocks_look(ps->deadlocks, ps->now_ns);
		kept_begin();
		reader_poll(ps->reader, clock_ns(CLOCK_MONOTONIC));
	} else {
		snapshot_take(ps->snapshot, ps->now_ns);
		find_owners(ps);
	}
	judge_triggers(ps->judge);
}

/* Analyses the snapshot that was just taken. */
static void conclude(struct ps *ps)
{
	ps_find_proved(ps);
	if (ps->proves)
		find_owners(ps);
	count_hidden(ps);
	forget_python(ps); /* a process may have loaded Python since */
	forget_gone(ps);
	ps->unwound = ps->claims = 0;
	ps->piped = false;
}

/*
 * Whether another look could prove that this thread waits for ever. Where the main thread goes on by itself, what
 * takes longer than two looks does not count.
 */
static bool is_undecided(const struct ps *ps, uint32_t index)
{
	const struct snapshot_thread *thread = &ps->snapshot->threads.item[index];
	const struct wait *wait = &ps->waits->item.item[index];

	if (thread->call.state != PROC_IN_CALL || ledger_is_told(ps->snapshot, index) ||
	    ledger_of(ps->snapshot, index)->stand.idle || wait->ends != MPSAN_ENDS_NEVER)
		return false;
	if (wait->end == WAIT_OPEN)
		return wait->is_early && thread->tid == thread->pid;
	return ps->graph->solved.dead[index] ?
		       !verdict_told_group(ps->deadlocks, ps->graph->solved.group[index]) :
		       thread->tid == thread->pid;
}

static bool proof_may_follow(const struct ps *ps)
{
	for (uint32_t i = 0; ps->proves && i < ps->graph->solved.count; i++)
		if (is_undecided(ps, i))
			return true;
	return false;
}

/* As long as the last look took, if that is longer: the program needs the processors, too. */
static void rest(const struct ps *ps)
{
	int took_ms = (int)((clock_ns(CLOCK_MONOTONIC) - ps->now_ns) / 1000000);

	poll(NULL, 0, took_ms < BETWEEN_MS ? BETWEEN_MS : took_ms);
}

void ps_look(struct ps *ps)
{
	ps_look_once(ps);
	ps->first_ns = ps->now_ns;
	do {
		rest(ps);
		ps_look_once(ps);
	} while (ps->now_ns < ps->first_ns + PROOF_NS && proof_may_follow(ps));
	conclude(ps);
}

bool ps_look_again(struct ps *ps)
{
	uint64_t before_ns = ps->now_ns;

	reader_poll(ps->reader, clock_ns(CLOCK_MONOTONIC));
	ps->live = somebody_lives(ps->reader);
	if (!ps->live)
		return false;
	ps->first_ns = before_ns;
	ps_look_once(ps);
	conclude(ps);
	return true;
}
