/*
 * shm-foreign-unlink: a name of shared memory was removed by somebody whose it was not. To unlink
 * after all have attached is good practice, whoever does it; a resource tracker of a process that merely
 * attached does it unasked, when that process ends.
 */
#include "../../facts/people.h"
#include "../rule.h"

static const struct tale tale_of_open = {
	"{who} could not open {name} at {at}: {maker} had made it at {made_at}, and {cause_who}, which serves "
	"another process, removed the name unasked",
	{{STEP_MAKER, "{maker} made {segment}"},
	 {STEP_CAUSE, "{cause_who} removed the name"},
	 {STEP_ACT, "{who} opens it: it is not there"}},
};

static const struct tale tale_of_tracker = {
	"{who} removed the name of {segment}, which {maker} made at {made_at} and which is in use by "
	"{mappers}: it serves a process that only attached",
	{{STEP_MAKER, "{maker} made {segment}"}, {STEP_ACT, "{who} removed the name {name}"}},
};

static const struct tale tale_of_other = {
	"{who} could not open {name} at {at}: {maker} had made it at {made_at}, and {cause_who} had removed "
	"the name at {cause_at}",
	{{STEP_MAKER, "{maker} made {segment}"},
	 {STEP_CAUSE, "{cause_who} removed the name"},
	 {STEP_ACT, "{who} opens it: it is not there"}},
};

static const struct tale tale_of_stranger = {
	"{who} could not open {name} at {at}: {maker} had made it at {made_at}, nobody of this session removed "
	"the name, and it is gone",
	{{STEP_MAKER, "{maker} made {segment}"}, {STEP_ACT, "{who} opens it: it is not there"}},
};

/* A tracker serves the process that started it, and all that stem from that one. */
static bool is_foreign_tracker(const struct facts *facts, uint32_t slot, uint32_t maker)
{
	uint32_t parent = facts->processes[people_born_as(facts, slot)].slot->parent;

	return role_of(facts->processes[slot].slot) == ROLE_TRACKER && parent &&
	       !shm_is_ancestor(facts, parent - 1, maker);
}

static void judge_removal(const struct facts *facts, const struct moment *moment,
			  struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];
	uint32_t segment = shm_segment_of(facts, moment->index);
	uint32_t maker = shm_maker(facts, segment);

	if (maker != FACT_NONE && is_foreign_tracker(facts, act->at.by, maker) &&
	    shm_mapped(facts, segment, act->at.time_ns, FACT_NONE))
		FIND_ACT(out, shm_foreign_unlink, GRADE_WARNING, moment, &tale_of_tracker,
			 .segment = segment);
}

/*
 * The act that removed the name of a segment before that time: index + 1. It is stated when the call is
 * through, which may be after others have missed the name.
 */
static uint32_t removal(const struct facts *facts, uint32_t segment, uint64_t time_ns)
{
	EACH_SHM_ACT(facts, segment - 1, at)
		if ((facts->acts[at - 1].type == EV_shm_unlinked ||
		     (facts->acts[at - 1].type == EV_shm_inherited &&
		      ACT_AS(&facts->acts[at - 1], shm_inherited)->what == MPSAN_SHM_UNLINKED)) &&
		    facts->acts[at - 1].at.time_ns <= time_ns + ACT_SETTLE_NS)
			return at;
	return 0;
}

/* Whether the maker is there, and in the session that was watched from its first call on. */
static bool is_kept(const struct facts *facts, uint32_t segment, uint64_t time_ns)
{
	uint32_t maker = shm_maker(facts, segment);

	return !(shm_made(facts, segment)->later & MPSAN_LATER_UNLINKED) &&
	       !facts->processes[maker].lossy && shm_mapped(facts, segment, time_ns, FACT_NONE);
}

static void judge_open(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];
	uint32_t segment = shm_find_name(&facts->shm, shm_link_of(facts, moment->index)->name);
	const struct fact_act *made = shm_made(facts, segment);
	uint32_t removed;

	/* Made anew since: whoever asked has helped itself. */
	if (!made || made->at.time_ns > act->at.time_ns || ACT_AS(made, shm)->way != MPSAN_SHM_OPEN)
		return;
	removed = removal(facts, segment, act->at.time_ns);
	if (!removed) {
		if (is_kept(facts, segment, act->at.time_ns))
			FIND_ACT(out, shm_foreign_unlink, GRADE_WARNING, moment, &tale_of_stranger,
				 .segment = segment);
	} else if (is_foreign_tracker(facts, facts->acts[removed - 1].at.by, made->at.by)) {
		FIND_ACT(out, shm_foreign_unlink, GRADE_ERROR, moment, &tale_of_open,
			 .segment = segment, .cause = removed);
	} else if (facts->acts[removed - 1].at.by != act->at.by &&
		   shm_mapped(facts, segment, act->at.time_ns, FACT_NONE)) {
		FIND_ACT(out, shm_foreign_unlink, GRADE_NOTE, moment, &tale_of_other,
			 .segment = segment, .cause = removed);
	}
}

void rule_shm_foreign_unlink(const struct facts *facts, const struct moment *moment,
			     struct findings *out)
{
	const struct fact_act *act = &facts->acts[moment->index];

	if (act->type == EV_shm_unlinked)
		judge_removal(facts, moment, out);
	else if (act->type == EV_shm_refused &&
		 ACT_AS(act, shm_refused)->reason == MPSAN_SHM_NO_NAME)
		judge_open(facts, moment, out);
}
