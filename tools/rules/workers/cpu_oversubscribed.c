/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu-oversubscribed: for seconds there were more runnable threads than processors. The threads
 * take turns, and at each barrier they wait for those that are not running.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE message_text = {
	"for {lasted} {running} threads in {processes} processes were runnable at a time on "
	"{processors} processors: {detail}",
	{{STEP_FORK, "{forker} of process {parent} started a worker"}, {STEP_EVENT, "{detail}"}},
};

/* Whether workers were bound to one processor, which affinity-inherited reports. */
static bool is_bound(const struct facts *facts)
{
	for (uint32_t i = 0; i < facts->event_count; i++)
		if (facts->events[i].type == EV_bound)
			return true;
	return false;
}

void rule_cpu_oversubscribed(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	const struct ev_load *load = EVENT_AS(event, load);
	uint32_t busiest = event->by, fork;
	bool heavy;

	if (event->type != EV_load || 4 * load->running <= 5 * load->processors)
		return;
	fork = process_is_worker(facts, busiest) ? process_fork(facts, busiest) : FACT_NONE;
	heavy = load->computing > 2 * load->processors && !is_bound(facts);
	finding_add(out, trigger,
		    (struct finding){.rule = RULE_cpu_oversubscribed,
				     .grade = heavy ? GRADE_WARNING : GRADE_NOTE,
				     .message_text = &message_text,
				     .fork = fork + 1});
}
