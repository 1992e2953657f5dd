/* See ps.h: opening a session and looking at who lives in it. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ps.h"
#include "pyview.h"

#define BETWEEN_MS 300

/* Whether somebody is there, by /proc: a supervisor's word for the end may never have come. */
static bool somebody_lives(const struct reader *reader)
{
	READER_EACH_SLOT(reader, slot)
	if (reader->session.table[slot].pid && !reader->session.table[slot].end_ns &&
	    session_liveness(&reader->session, slot) != GONE)
		return true;
	return false;
}

char *ps_open(struct ps *ps, const char *dir)
{
	char *wrong;
	uint64_t end_ns;

	memset(ps, 0, sizeof(*ps));
	wrong = reader_open(&ps->reader, dir, false);
	if (wrong)
		return wrong;
	grades_init(&ps->grades);
	judge_init(&ps->judge, &ps->reader, &ps->grades, NULL);
	census_init(&ps->census, &ps->reader);
	ps->learned = memory_get(ps->reader.session.slots);
	reader_read(&ps->reader);
	ps->now_ns = clock_ns(CLOCK_MONOTONIC);
	ps->live = somebody_lives(&ps->reader);
	if (ps->live)
		return NULL;
	end_ns = reader_end_ns(&ps->reader);
	ps->now_ns = end_ns ? end_ns : ps->reader.last_ns;
	reader_finish(&ps->reader, ps->now_ns);
	judge_moments(&ps->judge);
	return NULL;
}

void ps_close(struct ps *ps)
{
	if (ps->python)
		pyview_close(ps->python);
	pyview_finish();
	graph_finish(&ps->graph);
	waits_finish(&ps->waits);
	census_finish(&ps->census);
	judge_finish(&ps->judge);
	reader_close(&ps->reader);
	free(ps->learned);
}

static void count_hidden(struct ps *ps)
{
	for (uint32_t i = 0; i < ps->census.processes.count; i++) {
		const struct census_process *process = &ps->census.processes.item[i];
		uint32_t unknown = 0;

		for (uint32_t k = process->begin; k < process->end; k++)
			unknown += ps->census.threads.item[k].call.state == PROC_UNKNOWN &&
				   proc_stat(process->pid, ps->census.threads.item[k].tid).state;
		ps->hidden += unknown == process->end - process->begin;
	}
}

/* Whether a handler of a thread that looks lost could end its wait after all. */
static bool check_handlers(struct ps *ps)
{
	bool changed = false;

	for (uint32_t i = 0; i < ps->graph.count; i++)
		if (ps->graph.dead[i] && waits_check_handlers(&ps->waits, i))
			changed = true;
	return changed;
}

/* As the supervisor does it (knots.c). */
static void solve(struct ps *ps)
{
	waits_find(&ps->waits, &ps->census);
	graph_solve(&ps->graph, &ps->waits);
	while (check_handlers(ps))
		graph_solve(&ps->graph, &ps->waits);
}

void ps_look(struct ps *ps)
{
	reader_poll(&ps->reader, clock_ns(CLOCK_MONOTONIC));
	ps->first_ns = clock_ns(CLOCK_MONOTONIC);
	census_take(&ps->census, ps->first_ns);
	poll(NULL, 0, BETWEEN_MS);
	ps->now_ns = clock_ns(CLOCK_MONOTONIC);
	reader_poll(&ps->reader, ps->now_ns);
	census_take(&ps->census, ps->now_ns);
	solve(ps);
	judge_moments(&ps->judge);
	count_hidden(ps);
}
