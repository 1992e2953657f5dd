/* See unseen.h. */
#include "unseen.h"

#include "../reader/hidepid.h"

/* What it holds and waits for is not known: others may wait for it. */
static void state_hidden(struct deadlocks *deadlocks)
{
	static const char text[] =
		"/proc hides processes of this session (hidepid): hangs in them, and waits that they "
		"could end, are not explained; " HIDDEN_CURE;
	uint32_t slot = deadlocks->hidden ? FACT_NONE : hidepid_first(deadlocks->snapshot.reader);
	struct ev_limit event = {.count = 1};

	if (slot == FACT_NONE)
		return;
	deadlocks->hidden = true;
	event.what = watchlog_text(&deadlocks->log, slot, text);
	watchlog_put(&deadlocks->log, EV_limit, slot, 0, &event, sizeof(event));
}

/* Another user's process, or one that made itself undumpable: hangs in it stay unexplained. */
static void state_blindness(struct deadlocks *deadlocks)
{
	static const char text[] =
		"threads that could not be looked at from outside (no right to trace them, or too few "
		"file descriptors): their hangs are not explained";

	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count && !deadlocks->blind; i++) {
		const struct snapshot_thread *thread = &deadlocks->snapshot.threads.item[i];
		struct ev_limit event = {.count = 1};

		if (thread->call.state != PROC_UNKNOWN || !thread->runs)
			continue;
		deadlocks->blind = true;
		event.what = watchlog_text(&deadlocks->log, thread->slot, text);
		watchlog_put(&deadlocks->log, EV_limit, thread->slot, thread->tid, &event,
			     sizeof(event));
	}
}

void unseen_state(struct deadlocks *deadlocks)
{
	state_blindness(deadlocks);
	state_hidden(deadlocks);
}
