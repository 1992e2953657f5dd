/*
 * shm-sender-exited: with descriptors, PyTorch's way to share tensors, the memory stays with its
 * sender until the receiver takes a tensor from the queue and comes to fetch it. A sender that has ended by
 * then has taken it along. Managers and their proxies connect late, too, and mean no tensor.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE msg_kept = {
	"{process} {end} with {kept} that nobody had fetched; {who} asked for one at {at}, and "
	"{failure}: it is lost",
	{{STEP_MAKER, "{maker} made {segment}, one of those that were left"},
	 {STEP_CAUSE, "{process} came to its end, with {kept} still to be fetched"},
	 STEP_PROCESS_ENDED,
	 {STEP_EVENT, "{who} connects to it, and {failure}"}},
};

static MESSAGE msg_loss = {
	"{process} {end} before {who} had fetched its tensor; {who} asked for it at {at}, and {failure}: "
	"it is lost",
	{{STEP_MAKER, "{maker} made {segment}, which was not fetched"},
	 STEP_PROCESS_ENDED,
	 {STEP_EVENT, "{who} connects to it, and {failure}"}},
};

static MESSAGE msg_name = {
	"{maker} had ended and its tensor's name {name} was removed when {who} opened it at {at}: the tensor "
	"is lost",
	{STEP_MADE, STEP_PROCESS_ENDED, STEP_NAME_REMOVED, STEP_NOT_THERE},
};

static MESSAGE msg_rest = {
	"{process} {end} with {kept} that nobody had fetched: whoever asks for one will fail",
	{{STEP_MAKER, "{maker} made {segment}, one of those"},
	 {STEP_CAUSE, "{process} came to its end, with {kept} still to be fetched"}},
};

/* The newest tensor that this process made and did not hand over: index + 1. */
static uint32_t unsent(const struct facts *facts, uint32_t slot)
{
	uint32_t at = fact_event_of(facts, slot, EV_shm, FACT_NONE);

	while (at != FACT_NONE && (!(shm_link_of(facts, at)->flags & SHM_LINK_TORCH) ||
				   !(EVENT_AS(&facts->events[at], shm)->flags & MPSAN_SHM_MADE) ||
				   facts->events[at].later & MPSAN_LATER_SENT))
		at = fact_event_of(facts, slot, EV_shm, at);
	return at == FACT_NONE ? 0 : shm_segment_of(facts, at);
}

/* Whoever asks had ended the sender itself: Pool.terminate() does, and drains what is left. */
static bool had_ended_it(const struct facts *facts, const struct fact_event *refused, uint32_t slot)
{
	uint32_t at = fact_event_of(facts, refused->at.by, EV_killed, FACT_NONE);

	while (at != FACT_NONE &&
	       (EVENT_AS(&facts->events[at], killed)->pid != facts->processes[slot].slot->pid ||
		facts->events[at].at.time_ns > refused->at.time_ns))
		at = fact_event_of(facts, refused->at.by, EV_killed, at);
	return at != FACT_NONE;
}

/* It wanted a tensor, as far as its frames could be read. */
static bool is_for_tensor(const struct facts *facts, uint32_t event)
{
	return shm_link_of(facts, event)->flags & SHM_LINK_REBUILDS ||
	       !EVENT_AS(&facts->events[event], sock_refused)->python;
}

static void judge_refusal(const struct facts *facts, const struct trigger *trigger,
			  struct findings *out)
{
	const struct fact_event *refused = &facts->events[trigger->index];
	uint32_t kept = shm_find_path(facts, trigger->index, EV_shm_kept);
	uint32_t bound = shm_find_path(facts, trigger->index, EV_sock_bound);
	uint32_t of = kept ? kept : bound, slot = of ? facts->events[of - 1].at.by : FACT_NONE;
	uint64_t until = refused->at.time_ns;
	enum grade grade;

	if (!of || slot == refused->at.by || !is_for_tensor(facts, trigger->index))
		return;
	grade = had_ended_it(facts, refused, slot) ? GRADE_NOTE : GRADE_ERROR;
	if (shm_was_killed(facts, slot))
		until += EVENT_SETTLE_NS;
	if (kept)
		FIND_EVENT(out, shm_sender_exited, grade, trigger, &msg_kept, .cause = kept,
			   .process = slot + 1, .segment = shm_segment_of(facts, kept - 1));
	else if (shm_link_of(facts, trigger->index)->flags & SHM_LINK_REBUILDS &&
		 shm_has_ended(facts, slot, until))
		FIND_EVENT(out, shm_sender_exited, grade, trigger, &msg_loss, .process = slot + 1,
			   .segment = unsent(facts, slot));
}

/* With names, torch_shm_manager removes those of the dead. */
static void judge_name(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_event *refused = &facts->events[trigger->index];
	const struct shm_link *link = shm_link_of(facts, trigger->index);
	uint32_t segment = shm_find_name(&facts->shm, link->name), maker, removed = 0;

	if (EVENT_AS(refused, shm_refused)->reason != MPSAN_SHM_NO_NAME ||
	    !(link->flags & SHM_LINK_TORCH) || !segment)
		return;
	maker = shm_maker(facts, segment);
	EACH_SHM_EVENT(facts, segment - 1, at)
	if (facts->events[at - 1].type == EV_shm_unlinked &&
	    facts->events[at - 1].at.time_ns <= refused->at.time_ns)
		removed = at;
	if (removed && maker != refused->at.by &&
	    shm_has_ended(facts, maker, facts->events[removed - 1].at.time_ns + EVENT_SETTLE_NS) &&
	    role_of(facts->processes[facts->events[removed - 1].at.by].slot) == ROLE_SHM_MANAGER)
		FIND_EVENT(out, shm_sender_exited, GRADE_ERROR, trigger, &msg_name,
			   .cause = removed, .process = maker + 1, .segment = segment);
}

/* Who made the process goes on, and may still come for what it left. */
static bool is_outlived(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];
	uint32_t parent = process->slot->parent;

	return parent && parent <= facts->process_count &&
	       !shm_has_ended(facts, parent - 1, process->gone_ns + ENDED_GRACE_NS);
}

/*
 * Whether anybody wants them shows later. A DataLoader that is left early ends its workers with batches
 * that nobody does.
 */
static void judge_end(const struct facts *facts, const struct trigger *trigger,
		      struct findings *out)
{
	uint32_t kept = fact_event_of(facts, trigger->index, EV_shm_kept, FACT_NONE);

	if (kept == FACT_NONE || process_loads_data(facts, trigger->index))
		return;
	FIND_EVENT(out, shm_sender_exited,
		   is_outlived(facts, trigger->index) ? GRADE_WARNING : GRADE_NOTE, trigger,
		   &msg_rest, .cause = kept + 1, .process = trigger->index + 1,
		   .segment = shm_segment_of(facts, kept));
}

void rule_shm_sender_exited(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	if (trigger->kind == TRIGGER_ENDED) {
		judge_end(facts, trigger, out);
		return;
	}
	switch (facts->events[trigger->index].type) {
	case EV_sock_refused:
		judge_refusal(facts, trigger, out);
		break;
	case EV_shm_refused:
		judge_name(facts, trigger, out);
		break;
	default:
		break;
	}
}
