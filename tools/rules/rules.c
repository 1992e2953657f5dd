/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls the rules that have a trigger, in the order of their rows, so that findings always come out
 * in the same order.
 */
#include "rule.h"

static bool cuda_has_trigger(const struct facts *facts, enum trigger_kind kind, uint32_t index)
{
	const struct cuda_facts *cuda = &facts->cuda;

	switch (kind) {
	case TRIGGER_CUDA_CALL:
		return index < cuda->call_count;
	case TRIGGER_CUDA_ENV:
		return index < cuda->env_count;
	case TRIGGER_EXPORT:
		return index < cuda->export_count;
	case TRIGGER_IPC_OPEN:
		return index < cuda->import_count;
	case TRIGGER_FREE:
		return index < cuda->free_count;
	case TRIGGER_REFUSED:
		return index < cuda->refused_count;
	case TRIGGER_IPC_EVENT:
		return index < cuda->event_count;
	case TRIGGER_SHARER_GONE:
		return cuda->parties && index < facts->process_count;
	case TRIGGER_SHARING_OVER:
		return cuda->parties;
	default:
		return false;
	}
}

static bool trigger_concerns_rules(const struct facts *facts, const struct trigger *trigger)
{
	switch (trigger->kind) {
	case TRIGGER_FORK: /* vfork, posix_spawn and similar calls copy no memory */
		return trigger->index < facts->fork_count &&
		       fact_how_copies(facts->forks[trigger->index].ev.how);
	case TRIGGER_WAIT:
		return trigger->index < facts->wait_count;
	case TRIGGER_UNLOCK:
		return trigger->index < facts->unlock_count;
	case TRIGGER_DEADLOCK:
		return trigger->index < facts->deadlock_count;
	case TRIGGER_ORDER:
		return trigger->index < facts->order_count;
	case TRIGGER_KEPT_LOCK:
		return trigger->index < facts->left_count;
	case TRIGGER_EVENT:
		return trigger->index < facts->event_count;
	case TRIGGER_ENDED:
		return trigger->index < facts->process_count;
	case TRIGGER_CLOSE:
		return true;
	default:
		return cuda_has_trigger(facts, trigger->kind, trigger->index);
	}
}

void rules_run(const struct facts *facts, const struct trigger *trigger, struct findings *out)
{
	if (!trigger_concerns_rules(facts, trigger))
		return;
#define RULE(id, slug, triggers, ...) \
	if ((triggers)&trigger->kind) \
		rule_##id(facts, trigger, out);
#include "../../include/mpsan_rules.def"
#undef RULE
}
