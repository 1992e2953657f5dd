/* SPDX-License-Identifier: Apache-2.0 */
/* Records limits for threads and processes that cannot be examined. */
#include "blind_spots.h"

#include "../reader/elsewhere.h"
#include "../reader/hidepid.h"

/* Their locks and waits are unknown: other threads may wait for them. */
static void state_hidden(struct deadlocks *deadlocks)
{
	static const char text[] =
		"/proc hides processes of this session (hidepid): their hangs, and waits that they "
		"could end, are not explained; " HIDDEN_CURE;
	uint32_t slot = deadlocks->hidden ? FACT_NONE : hidepid_first(deadlocks->snapshot.reader);
	struct ev_limit event = {.count = 1};

	if (slot == FACT_NONE)
		return;
	deadlocks->hidden = true;
	event.what = watchlog_text(&deadlocks->log, slot, text);
	watchlog_put(&deadlocks->log, EV_limit, slot, 0, &event, sizeof(event));
}

/* One that has ended in between has nothing to explain. */
static bool cannot_be_read(const struct snapshot_thread *thread)
{
	struct proc_stat stat;

	if (thread->call.state != PROC_UNKNOWN || !thread->runs)
		return false;
	stat = proc_stat(thread->pid, thread->tid);
	return stat.state && !proc_stat_ended(&stat);
}

/* Processes of other users, or non-dumpable ones: their hangs remain unexplained. */
static void state_blindness(struct deadlocks *deadlocks)
{
	static const char text[] =
		"threads that could not be examined (no ptrace permission, or too few "
		"file descriptors): their hangs are not explained";

	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count && !deadlocks->blind; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];
		struct ev_limit event = {.count = 1};

		if (!cannot_be_read(thread))
			continue;
		deadlocks->blind = true;
		event.what = watchlog_text(&deadlocks->log, thread->slot, text);
		watchlog_put(&deadlocks->log, EV_limit, thread->slot, thread->own_tid, &event,
			     sizeof(event));
	}
}

#define FOUND_NS 2000000000ull /* by when /proc has been searched for it */

static bool is_lost(const struct deadlocks *deadlocks, uint32_t slot)
{
	const struct session *session = &deadlocks->reader->session;
	const struct mpsan_process *process = &session->table[slot];

	return elsewhere_is(process) && !deadlocks->reader->processes[slot].gone &&
	       process->birth_ns + FOUND_NS < deadlocks->snapshot.now_ns &&
	       !session_pid(session, slot);
}

/* Processes that other PID namespaces hide, because they are not below ours or of another user. */
static void state_elsewhere(struct deadlocks *deadlocks)
{
	static const char denied
		[] = "processes of other PID namespaces that could not be examined (no permission to read "
		     "/proc/PID/ns): their hangs are not explained; run mpsan as their user, or as root",
	  hidden[] =
		  "processes of other PID namespaces that could not be examined (not in /proc here): "
		  "their hangs are not explained; run mpsan inside the namespace, or outside all of them";
	struct ev_limit event = {.count = 1};

	READER_EACH_SLOT(deadlocks->reader, slot) {
		if (deadlocks->elsewhere || !is_lost(deadlocks, slot))
			continue;
		deadlocks->elsewhere = true;
		event.what = watchlog_text(
			&deadlocks->log, slot,
			elsewhere_denied(deadlocks->reader->session.elsewhere, slot) ? denied :
										       hidden);
		watchlog_put(&deadlocks->log, EV_limit, slot, 0, &event, sizeof(event));
	}
}

void blind_spots_record(struct deadlocks *deadlocks)
{
	state_blindness(deadlocks);
	state_hidden(deadlocks);
	state_elsewhere(deadlocks);
}
