/*
 * shm-map-limit: each shared tensor is a mapping of its own, and a process may have only so many
 * (vm.max_map_count). Beyond that mmap says that there is no memory, while there is plenty.
 */
#include "../rule.h"

static const struct tale tale_of_failure = {
	"{function} failed in {who} at {at} for want of mappings, not of memory: it had {count} of the {limit} "
	"that vm.max_map_count allows",
	{{STEP_ACT, "{who} called {function}"}},
};

static const struct tale tale_of_approach = {
	"{who} has {count} mappings, most of them of shared memory, and vm.max_map_count allows {limit}",
	{{STEP_ACT, "{who} mapped another one"}},
};

void rule_shm_map_limit(const struct facts *facts, const struct moment *moment,
			struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];
	const struct ev_shm_refused *ev = ACT_AS(act, shm_refused);

	if (act->type != EV_shm_refused || !ev->limit)
		return;
	if (ev->reason == MPSAN_SHM_NO_MAP && ev->count >= ev->limit - ev->limit / 100)
		FIND_ACT(out, shm_map_limit, GRADE_ERROR, moment, &tale_of_failure);
	else if (ev->reason == MPSAN_SHM_MANY_MAPS)
		FIND_ACT(out, shm_map_limit, GRADE_WARNING, moment, &tale_of_approach);
}
