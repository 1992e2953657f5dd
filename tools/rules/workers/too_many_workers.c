/* SPDX-License-Identifier: Apache-2.0 */
/*
 * too-many-workers: there are more workers than processors, and most of them wait. Each costs
 * memory and a start; more of them do not make the work faster.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE message_text = {
	"{who} had {processes} workers at a time for {lasted} on {processors} processors, and they "
	"mostly waited (runnable threads at a time: {running})",
	{{STEP_FORK, "{forker} of process {parent} started a worker"},
	 {STEP_EVENT, "{who} had {processes} workers"}},
};

void rule_too_many_workers(const struct facts *facts, const struct trigger *trigger,
			   struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	const struct ev_load *load = EVENT_AS(event, load);

	if (event->type == EV_load && load->processes > load->processors &&
	    4 * load->running <= 5 * load->processors)
		FIND_EVENT(out, too_many_workers, GRADE_NOTE, trigger, &message_text,
			   .fork = process_worker_fork(facts, event->by, event_time(event)) + 1);
}
