/*
 * shm-fd-limit: each shared tensor that is kept costs a descriptor, and a process may have only so
 * many. What other things use up is not of interest here.
 */
#include "../rule.h"

static const struct tale tale_of_failure = {
	"{function} failed in {who} at {at}: it had no descriptor left, and {count} of its {limit} were "
	"those of shared memory",
	{{STEP_ACT, "{who} called {function}"}},
};

static const struct tale tale_of_loss = {
	"{who} received a message at {at} without the descriptors that came with it: none was left, and "
	"{count} of its {limit} were those of shared memory",
	{{STEP_ACT, "{who} called {function}, which dropped the descriptors"}},
};

static const struct tale tale_of_approach = {
	"{count} of the {limit} descriptors that {who} may have are those of shared memory",
	{{STEP_ACT, "{who} got another one"}},
};

void rule_shm_fd_limit(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];
	const struct ev_shm_refused *ev = ACT_AS(act, shm_refused);
	bool most, many;

	if (act->type != EV_shm_refused || !ev->limit)
		return;
	most = ev->count >= ev->limit / 2;
	many = ev->count >= ev->limit / 10;
	if (ev->reason == MPSAN_SHM_NO_DESCRIPTOR && many)
		FIND_ACT(out, shm_fd_limit, most ? GRADE_ERROR : GRADE_WARNING, moment,
			 &tale_of_failure);
	else if (ev->reason == MPSAN_SHM_TRUNCATED && most)
		FIND_ACT(out, shm_fd_limit, GRADE_ERROR, moment, &tale_of_loss);
	else if (ev->reason == MPSAN_SHM_MANY_DESCRIPTORS)
		FIND_ACT(out, shm_fd_limit, GRADE_WARNING, moment, &tale_of_approach);
}
