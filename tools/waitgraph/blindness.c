/* See blindness.h. */
#include "blindness.h"

#include "../reader/hidden.h"

/* What it holds and waits for is not known: others may wait for it. */
static void state_hidden(struct knots *knots)
{
	static const char text[] =
		"/proc hides processes of this session (hidepid): hangs in them, and waits that they "
		"could end, are not explained; " HIDDEN_CURE;
	uint32_t slot = knots->hidden ? FACT_NONE : hidden_first(knots->census.reader);
	struct ev_limit event = {.count = 1};

	if (slot == FACT_NONE)
		return;
	knots->hidden = true;
	event.what = watchlog_text(&knots->log, slot, text);
	watchlog_put(&knots->log, EV_limit, slot, 0, &event, sizeof(event));
}

/* Another user's process, or one that made itself undumpable: hangs in it stay unexplained. */
static void state_blindness(struct knots *knots)
{
	static const char text[] =
		"threads that could not be looked at from outside (no right to trace them, or too few "
		"file descriptors): their hangs are not explained";

	for (uint32_t i = 0; i < knots->census.threads.count && !knots->blind; i++) {
		const struct census_thread *thread = &knots->census.threads.item[i];
		struct ev_limit event = {.count = 1};

		if (thread->call.state != PROC_UNKNOWN || !thread->runs)
			continue;
		knots->blind = true;
		event.what = watchlog_text(&knots->log, thread->slot, text);
		watchlog_put(&knots->log, EV_limit, thread->slot, thread->tid, &event,
			     sizeof(event));
	}
}

void blindness_state(struct knots *knots)
{
	state_blindness(knots);
	state_hidden(knots);
}
