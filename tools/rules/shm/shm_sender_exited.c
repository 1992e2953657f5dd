/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm-sender-exited: with the strategy file_descriptor a tensor's memory stays with its sender
 * until the receiver takes the tensor from the queue and fetches its descriptor. If the sender has
 * ended by then, the tensor is lost. Managers and their proxies also connect late, but not for a
 * tensor.
 */
#include "../../facts/processes.h"
#include "../rule.h"

static MESSAGE msg_kept = {
	"{process} {end} with {kept} not yet fetched; {who} asked for one at {at}, and {failure}: "
	"it is lost",
	{{STEP_MAKER, "{maker} created {segment}, one of the tensors not fetched"},
	 {STEP_CAUSE, "{process} ended with {kept} not yet fetched"},
	 STEP_PROCESS_ENDED,
	 {STEP_EVENT, "{who} connected to it, and {failure}"}},
};

static MESSAGE msg_loss = {
	"{process} {end} before {who} had fetched its tensor; {who} asked for it at {at}, and "
	"{failure}: it is lost",
	{{STEP_MAKER, "{maker} created {segment}, which was not fetched"},
	 STEP_PROCESS_ENDED,
	 {STEP_EVENT, "{who} connected to it, and {failure}"}},
};

static MESSAGE msg_name = {
	"{maker} had ended, and its tensor {name} was unlinked when {who} opened it at {at}: the "
	"tensor is lost",
	{STEP_MADE, STEP_PROCESS_ENDED, STEP_NAME_REMOVED, STEP_NOT_THERE},
};

static MESSAGE msg_rest = {
	"{process} {end} with {kept} not yet fetched: a process that asks for one will fail",
	{{STEP_MAKER, "{maker} created {segment}, one of them"},
	 {STEP_CAUSE, "{process} ended with {kept} not yet fetched"}},
};

/* The newest tensor that this process created and did not hand over: index + 1; 0: none. */
static uint32_t unsent(const struct facts *facts, uint32_t slot)
{
	uint32_t at = fact_event_of(facts, slot, EV_shm, FACT_NONE);

	while (at != FACT_NONE && (!(shm_link_of(facts, at)->flags & SHM_LINK_TORCH) ||
				   !(EVENT_AS(&facts->events[at], shm)->flags & MPSAN_SHM_MADE) ||
				   event_later(&facts->events[at]) & MPSAN_LATER_SENT))
		at = fact_event_of(facts, slot, EV_shm, at);
	return at == FACT_NONE ? 0 : shm_segment_of(facts, at);
}

/*
 * Whether the process that asks had itself ended the sender: Pool.terminate() does so and then
 * drains the queue.
 */
static bool had_ended_it(const struct facts *facts, const struct fact_event *refused, uint32_t slot)
{
	uint32_t at = fact_event_of(facts, refused->by, EV_killed, FACT_NONE);

	while (at != FACT_NONE &&
	       (EVENT_AS(&facts->events[at], killed)->pid != facts->processes[slot].slot->pid ||
		event_time(&facts->events[at]) > event_time(refused)))
		at = fact_event_of(facts, refused->by, EV_killed, at);
	return at != FACT_NONE;
}

/* Whether the connection was made for a tensor, as far as its frames could be read. */
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
	uint32_t of = kept ? kept : bound, slot = of ? facts->events[of - 1].by : FACT_NONE;
	uint64_t until = event_time(refused);
	enum grade grade = GRADE_NOTE;

	if (!of || slot == refused->by || !is_for_tensor(facts, trigger->index))
		return;
	if (proof_rule_fetch(had_ended_it(facts, refused, slot)) == RULE_shm_sender_exited)
		grade = GRADE_ERROR;
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

/* With the strategy file_system, torch_shm_manager unlinks the names of dead processes. */
static void judge_name(const struct facts *facts, const struct trigger *trigger,
		       struct findings *out)
{
	const struct fact_event *refused = &facts->events[trigger->index];
	const struct shm_link *link = shm_link_of(facts, trigger->index);
	uint32_t segment = shm_find_name(&facts->shm, shm_name_of(facts, trigger->index)), maker,
		 removed = 0;

	if (EVENT_AS(refused, shm_refused)->reason != MPSAN_SHM_NO_NAME ||
	    !(link->flags & SHM_LINK_TORCH) || !segment)
		return;
	maker = shm_maker(facts, segment);
	EACH_SHM_EVENT(facts, segment - 1, at)
		if (facts->events[at - 1].type == EV_shm_unlinked &&
		    event_time(&facts->events[at - 1]) <= event_time(refused))
			removed = at;
	if (removed && maker != refused->by &&
	    shm_has_ended(facts, maker,
			  event_time(&facts->events[removed - 1]) + EVENT_SETTLE_NS) &&
	    role_of(facts->processes[facts->events[removed - 1].by].slot) == ROLE_SHM_MANAGER)
		FIND_EVENT(out, shm_sender_exited, GRADE_ERROR, trigger, &msg_name,
			   .cause = removed, .process = maker + 1, .segment = segment);
}

/* Whether the parent lives on and may still come for the tensors. */
static bool is_outlived(const struct facts *facts, uint32_t slot)
{
	const struct fact_process *process = &facts->processes[slot];
	uint32_t parent = process->slot->parent;

	return parent && parent <= facts->process_count &&
	       !shm_has_ended(facts, parent - 1, process->gone_ns + ENDED_GRACE_NS);
}

/*
 * Whether nobody wants what a process kept: a DataLoader that is left early ends its workers with batches that are not
 * needed, a queue was closed by all that could read it, or the process had called cancel_join_thread.
 */
static bool is_unwanted(const struct facts *facts, uint32_t slot, uint32_t kept)
{
	return EVENT_AS(&facts->events[kept], shm_kept)->let_go ||
	       process_loads_data(facts, slot) ||
	       fact_event_of(facts, slot, EV_unread, FACT_NONE) != FACT_NONE;
}

/* Reports unfetched tensors once the session is over: whether they are needed shows only later. */
static void judge_rest(const struct facts *facts, const struct trigger *trigger, uint32_t slot,
		       struct findings *out)
{
	uint32_t kept = fact_event_of(facts, slot, EV_shm_kept, FACT_NONE);

	if (kept == FACT_NONE || is_unwanted(facts, slot, kept))
		return;
	FIND_EVENT(out, shm_sender_exited, is_outlived(facts, slot) ? GRADE_WARNING : GRADE_NOTE,
		   trigger, &msg_rest, .cause = kept + 1, .process = slot + 1,
		   .segment = shm_segment_of(facts, kept));
}

void rule_shm_sender_exited(const struct facts *facts, const struct trigger *trigger,
			    struct findings *out)
{
	if (trigger->kind == TRIGGER_CLOSE) {
		for (uint32_t slot = 0; slot < facts->process_count; slot++)
			judge_rest(facts, trigger, slot, out);
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
