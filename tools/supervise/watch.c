/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's main loop: reads logs, takes snapshots, judges, prints and kills. */
#include "watch.h"

#include "../../shim/common/no_log.h"
#include "../base/guard.h"
#include "../formats/formats.h"
#include "../reader/collect_cuda.h"
#include "../reader/host.h"
#include "../symbolizer/symbolizer.h"
#include "../waitgraph/final_state.h"
#include "first_error.h"
#include "mon_leaks.h"
#include "program_state.h"
#include "rescue.h"
#include "signal_process.h"
#include "tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Between two polls: 50 ms, and 0.5 ms for each living process, as a poll takes about 0.5 us for each. */
#define POLL_MS 50
#define LATE_MS 500 /* the longest pause */
#define RARE_MS 500 /* with nothing to look at but records */
#define ABORT_MS 300 /* from SIGABRT to SIGKILL */
#define KILL_MS 2000 /* until all have ended, at most */
#define QUIET_MS 100
#define LASTS_NS 3000000000ull /* a wait that others could end: from then on it is told */

/*
 * Sends a signal to every living process of the session, the youngest first, and records that the
 * supervisor sent it.
 */
static unsigned signal_all(struct watch *watch, int number)
{
	const struct reader *reader = watch->judge->reader;
	unsigned alive = 0;

	for (uint32_t i = reader->used.count; i-- > 0;) {
		uint32_t slot = reader->used.item[i];
		const struct mpsan_process *process = &reader->session.table[slot];

		if (reader->processes[slot].gone || !signal_send(&reader->session, slot, 0))
			continue;
		alive++;
		if (!number)
			continue;
		watchlog_put(&watch->deadlocks.log, EV_killed, slot, process->pid,
			     &(struct ev_killed){.pid = process->pid, .signal = (uint64_t)number},
			     sizeof(struct ev_killed));
		signal_send(&reader->session, slot, number);
	}
	return alive;
}

/*
 * Kills all processes, watched or not: SIGABRT first, so that core dumps are possible. A process
 * may fork meanwhile, and its child takes a moment to appear in the table: done when none was found
 * for QUIET_MS.
 */
static void kill_tree(struct watch *watch)
{
	struct reader *reader = watch->judge->reader;
	struct tree tree;
	int quiet = 0;

	watch->killed = true;
	tree_open(&tree, reader, watch->over ? 0 : watch->child);
	signal_all(watch, SIGABRT);
	tree_signal(&tree, SIGABRT);
	for (int waited = 0; waited < KILL_MS && quiet < QUIET_MS; waited += 10, quiet += 10) {
		poll(NULL, 0, 10);
		reader_poll(reader, clock_ns(CLOCK_MONOTONIC));
		tree_look(&tree);
		if (signal_all(watch, waited < ABORT_MS ? 0 : SIGKILL) +
		    tree_signal(&tree, waited < ABORT_MS ? 0 : SIGKILL))
			quiet = 0;
	}
	if (tree.root)
		kill(watch->child, SIGKILL);
	tree_close(&tree);
}

static bool kills(const struct watch *watch, const struct judged *judged)
{
	return judged->is_wait && (watch->on_deadlock == ON_DEADLOCK_KILL_HOPELESS ||
				   (watch->on_deadlock == ON_DEADLOCK_KILL && !judged->ends));
}

static void say_alert(const struct watch *watch, struct judged *judged)
{
	const struct reader *reader = watch->judge->reader;
	bool is_hushed = judged == &watch->judge->hushed_wait;
	AUTO_FREE char *hushed_by = is_hushed ? judged_hushed_by(judged) : NULL;
	struct alert alert = {
		.dir = reader->session.dir,
		.after_ns = judged->time_ns - reader->session.head->start_ns,
		.is_wait = judged->is_wait,
		.is_hang = judged->rule == RULE_hang,
		.is_warning = judged->grade == GRADE_WARNING,
		.killed_by = !kills(watch, judged)		    ? NULL :
			     watch->on_deadlock == ON_DEADLOCK_KILL ? "kill" :
								      "kill-hopeless",
		.hushed_by = hushed_by,
		.baseline = judged->known ? watch->judge->baseline->file : NULL,
		.kill_status = watch->kill_status,
		.is_spared = judged->is_wait && judged->ends &&
			     watch->on_deadlock == ON_DEADLOCK_KILL,
		.is_over = watch->over,
	};
	AUTO_FREE char *lines = first_error_text(&alert, judged->json);

	fputs(lines, stderr);
	fflush(stderr);
	judged->told = true;
}

/* A thread waits for what others might do, and has waited for long. */
static bool wait_lasts(const struct reader *reader, const struct judged *judged)
{
	return judged->wait && !reader->facts.waits[judged->wait - 1].end_ns &&
	       reader->now_ns > judged->time_ns + LASTS_NS;
}

/*
 * Whether it says why a program makes no progress: a warning that comes too late in a report. What kills is told
 * with the kill.
 */
static bool is_urgent(const struct watch *watch, const struct judged *judged)
{
	return judged->grade == GRADE_WARNING && !kills(watch, judged) &&
	       (judged->deadlock || judged->rule == RULE_worker_failed ||
		wait_lasts(watch->judge->reader, judged));
}

/*
 * The first error and the first such warning, printed even if reports go elsewhere, so that users at
 * the terminal and readers of the job's log see them now.
 */
static void say_first(struct watch *watch)
{
	for (uint32_t i = 0; i < watch->judge->found.count; i++) {
		struct judged *judged = &watch->judge->found.item[i];
		bool is_error = judged->grade == GRADE_ERROR;
		bool *said = is_error ? &watch->said : &watch->said_warning;

		if (!judged->count || *said ||
		    (!is_error && (watch->over || !is_urgent(watch, judged))))
			continue;
		*said = true;
		say_alert(watch, judged);
	}
}

/* The proof for which the program is killed; NULL: none. One that is hushed comes last, as it does not count. */
static struct judged *reason_to_kill(const struct watch *watch)
{
	struct judged *hushed = &watch->judge->hushed_wait;

	for (uint32_t i = 0; i < watch->judge->found.count; i++) {
		struct judged *judged = &watch->judge->found.item[i];

		if (judged->grade == GRADE_ERROR && kills(watch, judged))
			return judged;
	}
	return hushed->json && kills(watch, hushed) ? hushed : NULL;
}

static void kill_for(struct watch *watch, struct judged *reason)
{
	if (!reason->told)
		say_alert(watch, reason);
	kill_tree(watch);
	watch->hushed = reason == &watch->judge->hushed_wait;
	if (!watch->hushed)
		judge_unknow(watch->judge, reason);
}

static void show_new(struct watch *watch)
{
	struct judged *reason = watch->killed ? NULL : reason_to_kill(watch);

	say_first(watch);
	if (reason)
		kill_for(watch, reason);
	for (uint32_t i = 0; i < watch->judge->found.count; i++) {
		struct judged *judged = &watch->judge->found.item[i];

		if (!watch->print || judged->shown || judged->known || !judged->count ||
		    judged->grade < GRADE_WARNING)
			continue;
		judged->shown = true;
		out_text_finding(stderr, judged->json, &watch->view);
		fflush(stderr);
	}
}

/* Nothing is concluded from a session whose files were truncated. */
static bool is_cut(struct watch *watch)
{
	if (!watch->cut && guard_has_cut()) {
		complain("session files were truncated; the program goes on unwatched");
		fflush(stderr);
		watch->cut = watch->blind = true;
	}
	return watch->cut;
}

/* What is in memory stays true, but nothing can be added. */
static bool is_removed(struct watch *watch)
{
	const struct session *session = &watch->judge->reader->session;

	if (!watch->blind && session_is_removed(session)) {
		complain("the session directory %s was removed; the program goes on unwatched",
			 session->dir);
		fflush(stderr);
		watch->blind = true;
	}
	return watch->blind;
}

/* Once, as soon as it is known: users of --on-deadlock should not have to wait for the report. */
static void say_unlogged(struct watch *watch)
{
	const struct reader *reader = watch->judge->reader;

	if (reader->lacks_memory && !watch->unlogged) {
		complain("no memory to map a log, so processes go on unwatched; " MEMORY_CURE);
		fflush(stderr);
		watch->unlogged = true;
	}
	if (watch->unlogged || !__atomic_load_n(&reader->session.head->unlogged, __ATOMIC_ACQUIRE))
		return;
	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];

		if (watch->unlogged || !(process->flags & MPSAN_PROCESS_OFF) ||
		    !no_log_text(process->why_off))
			continue;
		complain("process %u runs unwatched: %s", process->pid,
			 no_log_text(process->why_off));
		fflush(stderr);
		watch->unlogged = true;
	}
}

static void watch_judge(struct watch *watch)
{
	if (is_cut(watch))
		return;
	judge_triggers(watch->judge);
	show_new(watch);
}

static void watch_look(struct watch *watch)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	watch->judge->reader->session.head->seen_ns = now;
	reader_poll(watch->judge->reader, now);
	if (!watch->blind)
		say_unlogged(watch);
	export_table_look(&watch->exports, watch->judge->reader);
	/* processes that we kill are no findings */
	if (!watch->killed && !watch->forks_only && !is_cut(watch) && host_proc_is_own()) {
		deadlocks_look(&watch->deadlocks, now);
		monitors_look(&watch->monitors);
	}
	watch_judge(watch);
}

/* Reports of a session that nothing is added to any more need not be written now. */
static void note_signal(struct watch *watch, int number, bool by_terminal)
{
	struct mpsan_session *head = watch->judge->reader->session.head;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (number == SIGUSR1 || number == SIGUSR2 || is_cut(watch))
		return;
	if (!head->asked_ns) {
		head->asked = (uint32_t)number;
		head->asked_ns = now_ns;
	}
	interim_signal(&watch->interim, number, by_terminal, now_ns);
}

static struct watch *following; /* see below */

/* While an answer about a file takes long; the state of the supervisor may be anything. */
static void hand_on_meanwhile(void)
{
	bool by_terminal;

	for (int number; (number = program_state_wait(0, &by_terminal));) {
		if (number == SIGCHLD)
			continue;
		program_state_hand_on(following->child, number);
		note_signal(following, number, by_terminal);
	}
}

static void hand_on_signals(struct watch *watch, int patience_ms)
{
	bool by_terminal;

	for (int number; (number = program_state_wait(patience_ms, &by_terminal));
	     patience_ms = 0) {
		if (number == SIGCHLD)
			continue;
		if (number != SIGINT) /* for which it may have a handler, and go on */
			final_state_record(&watch->deadlocks, number);
		program_state_hand_on(watch->child, number);
		note_signal(watch, number, by_terminal);
	}
	if (!interim_is_due(&watch->interim, clock_ns(CLOCK_MONOTONIC)))
		return;
	if (watch->interim.number == SIGINT)
		final_state_record(&watch->deadlocks, SIGINT);
	interim_write(&watch->interim);
}

/* At the limit the kernel kills us: the rest is left for the report. */
#define CPU_SHARE 0.7

static void look_at_cpu(struct watch *watch)
{
	uint64_t used_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit) || limit.rlim_max == RLIM_INFINITY ||
	    (double)used_ns < CPU_SHARE * 1e9 * (double)limit.rlim_max)
		return;
	complain("the CPU time limit (ulimit -t) is near; the program goes on unwatched");
	fflush(stderr);
	watch->blind = true;
}

static int poll_pause_ms(const struct watch *watch)
{
	const struct pidfd_poll *living = &watch->judge->reader->pidfds;
	uint32_t pause = POLL_MS + (living->fds.count + living->others.count) / 2;

	if (watch->blind)
		return watch->interim.due_ns ? LATE_MS : -1;
	if (watch->forks_only)
		return RARE_MS;
	return pause < LATE_MS ? (int)pause : LATE_MS;
}

static void watch_follow(struct watch *watch)
{
	hand_on_signals(watch, poll_pause_ms(watch));
	if (watch->blind || is_removed(watch))
		return;
	watch_look(watch);
	look_at_cpu(watch);
}

static bool has_ended(struct watch *watch)
{
	pid_t pid;

	do
		pid = waitpid(watch->child, &watch->status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	return pid != 0;
}

#define FOLLOW_NS 800000000ull
#define ORPHANS_NS 3000000000ull /* how long nested orphans are waited for */

static bool is_followed(const struct watch *watch, uint64_t past_ns)
{
	const struct reader *reader = watch->judge->reader;

	return cuda_is_open(reader) || (past_ns <= ORPHANS_NS && monitors_are_open(reader)) ||
	       (past_ns <= FOLLOW_NS &&
		(reader_has_open_wait(reader) || deadlocks_are_open(&watch->deadlocks)));
}

/*
 * An orphan that is blocked may still prove a deadlock, which takes at most FOLLOW_NS; one that
 * uses a dead process's memory gets its grace period, and a worker time to follow its parent. Ends
 * early on a signal.
 */
static void follow_open_waits(struct watch *watch)
{
	uint64_t over_ns = clock_ns(CLOCK_MONOTONIC);

	while (!is_cut(watch) && !rescue_is_due() &&
	       is_followed(watch, clock_ns(CLOCK_MONOTONIC) - over_ns)) {
		poll(NULL, 0, POLL_MS);
		watch_look(watch);
	}
}

/* Records the program's end: its parent is not watched. Its last image may not have been seen yet. */
static void record_end(const struct watch *watch, uint64_t now)
{
	struct reader *reader = watch->judge->reader;

	reader_poll(reader, now);
	READER_EACH_SLOT(reader, slot) {
		struct mpsan_process *process = &reader->session.table[slot];

		if (process->pid != (uint32_t)watch->child || process->end == MPSAN_END_SIGNAL)
			continue;
		if (!process->end)
			process->flags |= MPSAN_PROCESS_OBSERVED;
		process->end = WIFSIGNALED(watch->status) ? MPSAN_END_SIGNAL : MPSAN_END_EXIT;
		process->end_value = WIFSIGNALED(watch->status) ? WTERMSIG(watch->status) :
								  WEXITSTATUS(watch->status);
		if (!process->end_ns)
			process->end_ns = now;
	}
}

int watch_status(const struct watch *watch)
{
	if (watch->killed && !watch->hushed)
		return watch->kill_status;
	return WIFSIGNALED(watch->status) ? 128 + WTERMSIG(watch->status) :
					    WEXITSTATUS(watch->status);
}

void watch_run(struct watch *watch)
{
	struct reader *reader = watch->judge->reader;
	uint64_t now;

	deadlocks_init(&watch->deadlocks, reader, watch->hang_after * 1000000000ull);
	monitors_init(&watch->monitors, &watch->deadlocks);
	following = watch;
	symbolizer_meanwhile = hand_on_meanwhile;
	while (!has_ended(watch))
		watch_follow(watch);
	symbolizer_meanwhile = NULL;
	watch->over = true;
	interim_end(&watch->interim);
	rescue_ended(watch_status(watch));
	record_end(watch, clock_ns(CLOCK_MONOTONIC));
	if (WIFSIGNALED(watch->status) && !watch->killed)
		final_state_record(&watch->deadlocks, WTERMSIG(watch->status));
	watch->deadlocks.next_ns = 0; /* examine the remaining processes again */
	watch_look(watch);
	follow_open_waits(watch);
	if (!watch->killed)
		final_state_record_ended(&watch->deadlocks);
	monitors_finish(&watch->monitors);
	if (!watch->killed && !is_cut(watch)) /* processes that we kill cannot clean up */
		mon_leaks_look(reader, &watch->deadlocks.log);
	now = clock_ns(CLOCK_MONOTONIC);
	reader->session.head->end_ns = now;
	reader->session.head->off = 1;
	reader_finish(reader, now);
	deadlocks_finish(&watch->deadlocks);
	export_table_close(&watch->exports);
	watch_judge(watch);
}
