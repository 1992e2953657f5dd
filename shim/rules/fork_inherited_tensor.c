/*
 * fork-inherited-tensor: a forked child gave up a shared tensor that it has by inheritance only. Nobody
 * counted it in as a user, so with names the tensor may end for the others. To read and write it
 * there, as in training without locks, is what it is for.
 */
#include "../core/rule.h"

static const struct tale tale_of_removal = {
	"{who} removed the name of {segment} at {at}, which it had inherited from {maker} by a fork and which "
	"is in use by {mappers}",
	{{STEP_MAKER, "{maker} made {segment}"}, {STEP_ACT, "{who} removed the name"}},
};

static const struct tale tale_of_unmap = {
	"{who} gave up {segment} at {at}, which it had inherited from {maker} by a fork",
	{{STEP_MAKER, "{maker} made {segment}"}, {STEP_ACT, "{who} unmapped it"}},
};

void rule_fork_inherited_tensor(const struct facts *facts, const struct moment *moment,
				struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];
	uint32_t segment = shm_segment_of(facts, moment->index);
	uint64_t what;

	if (act->type != EV_shm_inherited || !shm_is_torch(facts, segment) ||
	    shm_maker(facts, segment) == act->at.by)
		return;
	what = ACT_AS(act, shm_inherited)->what;
	if (what == MPSAN_SHM_UNLINKED &&
	    shm_mapped(facts, segment, act->at.time_ns, act->at.by))
		FIND_ACT(out, fork_inherited_tensor, GRADE_WARNING, moment, &tale_of_removal,
			 .segment = segment);
	else if (what == MPSAN_SHM_UNMAPPED)
		FIND_ACT(out, fork_inherited_tensor, GRADE_NOTE, moment, &tale_of_unmap,
			 .segment = segment);
}
