/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm-fd-limit: each shared tensor that is kept costs a descriptor, and RLIMIT_NOFILE limits their
 * number. Limits that other files use up are not reported here.
 */
#include "../rule.h"

static MESSAGE msg_failure = {
	"{function} failed in {who} at {at}: no descriptor was free, and {count} of its {limit} "
	"were shared memory",
	{STEP_WHO_CALLED},
};

static MESSAGE msg_loss = {
	"{who} received a message at {at} without the descriptors that came with it: none was "
	"free, and {count} of its {limit} were shared memory",
	{{STEP_EVENT, "{who} called {function}, which dropped the descriptors"}},
};

static MESSAGE msg_approach = {
	"{count} of the {limit} descriptors that {who} may have are shared memory",
	{{STEP_EVENT, "{who} got another one"}},
};

void rule_shm_fd_limit(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	const struct ev_shm_refused *ev = EVENT_AS(event, shm_refused);
	bool most, many;

	if (event->type != EV_shm_refused || !ev->limit)
		return;
	most = ev->count >= ev->limit / 2;
	many = ev->count >= ev->limit / 10;
	if (ev->reason == MPSAN_SHM_NO_DESCRIPTOR && many)
		FIND_EVENT(out, shm_fd_limit, most ? GRADE_ERROR : GRADE_WARNING, trigger,
			   &msg_failure);
	else if (ev->reason == MPSAN_SHM_TRUNCATED && most)
		FIND_EVENT(out, shm_fd_limit, GRADE_ERROR, trigger, &msg_loss);
	else if (ev->reason == MPSAN_SHM_MANY_DESCRIPTORS)
		FIND_EVENT(out, shm_fd_limit, GRADE_WARNING, trigger, &msg_approach);
}
