/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork-during-import: a thread was importing a module at the fork. It holds the module's import
 * lock until the import ends; in the child that lock stays held.
 */
#include "../rule.h"

static const char importing[] = "{holder} was importing it, {taken}";
static const char copied[] =
	"{forker} of process {parent} called {how}, which did not copy {holder}";

static MESSAGE msg_wait = {
	"process {pid} {waits} at {wait_at}| for |{lock}: {holder} was importing it[, {taken},] and exists only in "
	"the parent[, which forked at {fork_at}]",
	{{STEP_HOLDER, importing},
	 {STEP_FORK, copied},
	 {STEP_WAIT, "{thread} of the child {pid} waits for that import"}},
};

static MESSAGE msg_alone = {
	"process {pid} {waits} at {wait_at}| for |{lock}: no thread of it is importing that module, and the fork at "
	"{fork_at} did not copy {lost}",
	{STEP_FORK_CALLED,
	 {STEP_WAIT, "{thread} of the child {pid}, its only thread, waits for that import"}},
};

static MESSAGE msg_doubt = {
	"process {pid} waits at {wait_at}| for |{lock}: {holder} was importing it[, {taken},] and exists only in the "
	"parent[, which forked at {fork_at}]; only a signal handler or another thread could end the wait",
	{{STEP_HOLDER, importing},
	 {STEP_FORK, copied},
	 {STEP_WAIT, "{thread} of the child {pid} waits for that import"}},
};

static MESSAGE msg_fork = {
	"{holder} was importing a module[, {taken}]|, when |{forker} called {how} at {fork_at}; in the child {child} "
	"{lock} stays held",
	{{STEP_HOLDER, importing}, STEP_FORK_CALLED},
};

static MESSAGE msg_importer = {
	"{how} at {fork_at} in the middle of an import: the child {child} goes on inside it",
	{{STEP_FORK, "{forker} of process {parent} called {how} while it was importing a module"}},
};

static bool is_import(const struct facts *facts, uint32_t held, uint32_t fork)
{
	const struct fact_held *h = &facts->helds[held];

	return h->ev.kind == MPSAN_LOCK_IMPORT && !h->repaired && fact_held_at(facts, held, fork);
}

/*
 * Whether the next held lock is an import of the same thread: nested imports are adjacent, the
 * outermost one last.
 */
static bool goes_on(const struct facts *facts, uint32_t held, uint32_t fork)
{
	return held + 1 < facts->forks[fork].held_end && is_import(facts, held + 1, fork) &&
	       facts->helds[held + 1].ev.holder == facts->helds[held].ev.holder;
}

static void fork_during_import_judge_fork(const struct facts *facts, const struct trigger *trigger,
					  struct findings *out)
{
	const struct fact_fork *fork = &facts->forks[trigger->index];
	enum fact_fate fate = fact_fate(facts, fork);

	if (fate == FATE_EXEC)
		return;
	if (fork->ev.flags & MPSAN_FORK_IMPORTING)
		FIND(out, fork_during_import, GRADE_NOTE, trigger, trigger->index, FACT_NONE,
		     &msg_importer);
	for (uint32_t i = fork->held_begin; i < fork->held_end; i++)
		if (is_import(facts, i, trigger->index) && !goes_on(facts, i, trigger->index))
			FIND(out, fork_during_import,
			     fate == FATE_LIVES ? GRADE_WARNING : GRADE_NOTE, trigger,
			     trigger->index, i, &msg_fork);
}

static void fork_during_import_judge_wait(const struct facts *facts, const struct trigger *trigger,
					  struct findings *out)
{
	const struct fact_wait *wait = &facts->waits[trigger->index];
	bool proved = fact_wait_is_proof(wait);

	if (rule_of_wait(facts, wait) == RULE_fork_during_import)
		FIND(out, fork_during_import, proved ? GRADE_ERROR : GRADE_WARNING, trigger,
		     fact_fork_behind(facts, wait->held, wait->at.by), wait->held,
		     wait->ev.reason == MPSAN_WAIT_ALONE ? &msg_alone :
		     proved				 ? &msg_wait :
							   &msg_doubt);
}

void rule_fork_during_import(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	if (trigger->kind == TRIGGER_FORK)
		fork_during_import_judge_fork(facts, trigger, out);
	else if (trigger->kind == TRIGGER_WAIT)
		fork_during_import_judge_wait(facts, trigger, out);
}
