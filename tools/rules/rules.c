/*
 * Announces a moment to the rules that asked for it. The order of the rows is the order of the
 * calls, so findings come out the same way every time. Neighbours: rule.h, ../rules/.
 */
#include "rule.h"

static bool cuda_has_moment(const struct facts *facts, enum moment_kind kind, uint32_t index)
{
	const struct cuda_facts *cuda = &facts->cuda;

	switch (kind) {
	case MOMENT_CUDA_CALL:
		return index < cuda->call_count;
	case MOMENT_CUDA_ENV:
		return index < cuda->env_count;
	case MOMENT_EXPORT:
		return index < cuda->export_count;
	case MOMENT_IMPORT:
		return index < cuda->import_count;
	case MOMENT_FREE:
		return index < cuda->free_count;
	case MOMENT_REFUSED:
		return index < cuda->refused_count;
	case MOMENT_EVENT:
		return index < cuda->event_count;
	case MOMENT_GONE:
		return cuda->parties && index < facts->process_count;
	case MOMENT_OVER:
		return cuda->parties;
	default:
		return false;
	}
}

static bool moment_concerns_rules(const struct facts *facts, const struct moment *moment)
{
	switch (moment->kind) {
	case MOMENT_FORK: /* vfork, posix_spawn and their like leave nothing behind */
		return moment->index < facts->fork_count &&
		       fact_how_copies(facts->forks[moment->index].ev.how);
	case MOMENT_WAIT:
		return moment->index < facts->wait_count;
	case MOMENT_UNLOCK:
		return moment->index < facts->unlock_count;
	case MOMENT_KNOT:
		return moment->index < facts->knot_count;
	case MOMENT_ORDER:
		return moment->index < facts->order_count;
	case MOMENT_LEFT:
		return moment->index < facts->left_count;
	case MOMENT_ACT:
		return moment->index < facts->act_count;
	case MOMENT_ENDED:
		return moment->index < facts->process_count;
	case MOMENT_CLOSE:
		return true;
	default:
		return cuda_has_moment(facts, moment->kind, moment->index);
	}
}

void rules_run(const struct facts *facts, const struct moment *moment, struct findings *out)
{
	if (!moment_concerns_rules(facts, moment))
		return;
#define RULE(id, slug, moments, ...) \
	if ((moments)&moment->kind)  \
		rule_##id(facts, moment, out);
#include "../../include/mpsan_rules.def"
#undef RULE
}
