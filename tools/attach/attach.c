/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at processes again and again, as the supervisor of `mpsan run` does. */
#include "attach.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "../proc/descriptors.h"
#include "../proc/procfs.h"
#include "../reader/host.h"
#include "../supervise/launch.h"
#include "../supervise/monitors/worker_monitors.h"
#include "../waitgraph/deadlocks.h"
#include "resources.h"
#include "rights.h"
#include "watched.h"

#define PAUSE_MS 50
#define PAUSE_MOST_MS 500
#define LIST_NS 200000000ull /* time between two searches for new processes */

static void look_for_processes(struct attach *attach, struct deadlocks *deadlocks)
{
	target_look(attach->target);
	attach->refused =
		target_enter(attach->target, &attach->judge->reader->session, &deadlocks->log);
}

static bool is_over(const struct attach *attach)
{
	const struct reader *reader = attach->judge->reader;

	READER_EACH_SLOT(reader, slot)
		if (session_liveness(&reader->session, slot) != GONE)
			return false;
	return true;
}

/*
 * As long as the look took that began then: the program needs the processors, too. A core file does not
 * change meanwhile.
 */
static void rest(uint64_t began_ns)
{
	uint64_t took_ms = (clock_ns(CLOCK_MONOTONIC) - began_ns) / 1000000;

	if (procfs_source()) {
		clock_pass(LIST_NS);
		return;
	}
	poll(NULL, 0,
	     took_ms < PAUSE_MS	     ? PAUSE_MS :
	     took_ms < PAUSE_MOST_MS ? (int)took_ms :
				       PAUSE_MOST_MS);
}

static void note_time(struct attach *attach, uint64_t began_ns)
{
	uint64_t took_ns = clock_ns(CLOCK_MONOTONIC) - began_ns;

	attach->took_ns = took_ns > attach->took_ns ? took_ns : attach->took_ns;
}

void attach_run(struct attach *attach)
{
	struct reader *reader = attach->judge->reader;
	struct deadlocks deadlocks;
	struct monitors monitors;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), listed_ns = now;

	deadlocks_init(&deadlocks, reader, attach->hang_after * 1000000000ull);
	monitors_init(&monitors, &deadlocks);
	look_for_processes(attach, &deadlocks);
	reader_poll(reader, now);
	for (; now < attach->until_ns && !is_over(attach); now = clock_ns(CLOCK_MONOTONIC)) {
		reader->session.head->seen_ns = now;
		if (now - listed_ns >= LIST_NS) {
			look_for_processes(attach, &deadlocks);
			listed_ns = now;
		}
		reader_poll(reader, now);
		deadlocks_look(&deadlocks, now);
		monitors_look(&monitors);
		judge_triggers(attach->judge);
		note_time(attach, now);
		if (attach->say)
			attach->say(attach, &deadlocks);
		rest(now);
	}
	monitors_finish(&monitors);
	resources_state(reader, &deadlocks.log);
	now = clock_ns(CLOCK_MONOTONIC);
	reader_poll(reader, now);
	judge_triggers(attach->judge);
	attach->conclude(attach, &deadlocks);
	reader->session.head->end_ns = now;
	reader_finish(reader, now);
	deadlocks_finish(&deadlocks);
	judge_triggers(attach->judge);
}

char *attach_refusal(const struct target *target)
{
	uint32_t members = 0, hidden = 0, pid = 0;
	AUTO_FREE char *missing = NULL, *seen = NULL;

	if (!descriptors_suffice())
		return text_copy(DESCRIPTORS_TOO_FEW);
	for (uint32_t i = 0; i < target->there.count; i++) {
		const struct target_process *process = &target->there.item[i];

		if (process->ended)
			continue;
		members += process->member;
		hidden += process->member && process->hidden;
		pid = process->member && process->hidden ? process->pid : pid;
	}
	if (!members || hidden < members)
		return NULL;
	missing = rights_missing(pid);
	seen = rights_seen(pid);
	return text_format("process %u may not be examined: %s; %s", pid, missing, seen);
}

/* ---- sessions for other commands ---- */

/* Enters the processes; NULL, or an error that the caller frees. */
static char *fill(struct target *target, const char *dir)
{
	struct reader reader;
	struct watchlog log;
	char *wrong = reader_open(&reader, dir, true);

	if (wrong)
		return wrong;
	watchlog_open(&log, &reader);
	target_enter(target, &reader.session, &log);
	watchlog_close(&log);
	reader_close(&reader);
	return NULL;
}

static char *make(struct target *target, uint32_t pid, bool whole, struct launch *launch)
{
	char *wrong;
	uint32_t processes;

	if (!host_proc_is_own())
		return text_copy(HOST_NO_PROC);
	pid = rights_process(pid, &wrong);
	if (wrong)
		return wrong;
	if (!target_add(target, pid, whole))
		return text_format("there is no process %u", pid);
	processes = target_look(target);
	wrong = attach_refusal(target);
	if (!wrong)
		wrong = launch_prepare_outside(launch, NULL, 2 * processes);
	return wrong ? wrong : fill(target, launch->dir);
}

char *attach_session(const char *command, uint32_t pid, bool whole, bool *own)
{
	struct target target = {0};
	struct launch launch = {0};
	char *dir = watched_session(pid), *wrong;

	*own = !dir;
	if (dir)
		return dir;
	wrong = make(&target, pid, whole, &launch);
	target_finish(&target);
	if (wrong) {
		complain("%s: %s", command, wrong);
		free(wrong);
		launch_finish(&launch);
		return NULL;
	}
	dir = text_copy(launch.dir);
	launch.is_private = false; /* kept until it was shown */
	launch_finish(&launch);
	return dir;
}

void attach_discard(char *dir, bool own)
{
	if (dir && own)
		launch_remove(dir);
	free(dir);
}
