/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at ranks that are in no collective, and at those that have ended. */
#include "lost.h"

#include <stdlib.h>

#include "../facts/awaited.h"
#include "../facts/processes.h"
#include "../symbols/raised.h"
#include "../waits/ledger.h"
#include "../waits/pythreads.h"
#include "collective.h"

static bool is_proved(const struct snapshot *snapshot, uint32_t thread)
{
	const struct ledger_entry *entry = ledger_of(snapshot, thread);

	return entry->round.told && !entry->stand.doubted && !entry->call.gives_up;
}

/* A worker of a DataLoader is deadlocked, and no other works on a batch. */
static uint32_t deadlocked_worker(const struct snapshot *snapshot, uint32_t slot, uint64_t since_ns)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < snapshot->processes.count; i++) {
		const struct snapshot_process *process = &snapshot->processes.item[i];
		const struct snapshot_thread *thread = &snapshot->threads.item[process->begin];

		if (process->begin == process->end || thread->tid != process->pid ||
		    process_parent(&snapshot->reader->facts, process->slot) != slot)
			continue;
		if (is_proved(snapshot, process->begin))
			found = process->pid;
		else if (snapshot_rests(snapshot, thread) > since_ns)
			return 0;
	}
	return found;
}

/* " while handling RuntimeError('x') raised at f (a.py:2)", or "". */
static char *lost_handling(const struct snapshot_thread *thread)
{
	AUTO_FREE char *raised = pythread_raised(thread);
	json_auto_t *handling = raised_json(raised);

	return raised_text(handling);
}

char *lost_dead(const struct snapshot *snapshot, uint32_t index, uint64_t since_ns)
{
	const struct snapshot_thread *thread = &snapshot->threads.item[index];
	char *stack, place[COLLECTIVE_PLACE], *text = NULL;
	struct awaited_frames awaited;
	const char *object;
	uint32_t worker;

	if (!is_proved(snapshot, index) && snapshot_rests(snapshot, thread) > since_ns)
		return NULL;
	stack = pythread_stack(thread);
	awaited = awaited_of(stack);
	object = awaited_object(awaited.what);
	collective_place(stack, place);
	worker = awaited.what == AWAITED_BATCH ?
			 deadlocked_worker(snapshot, thread->slot, since_ns) :
			 0;
	if (worker)
		text = text_format(
			"waits for a batch of a DataLoader (%s), whose worker %u is deadlocked",
			place, worker);
	else if (is_proved(snapshot, index) && awaited.what != AWAITED_NOTHING)
		text = text_format("waits forever for %s%s%s (%s)", awaited_phrase(awaited.what),
				   *object ? "a " : "", object, place);
	else if (is_proved(snapshot, index) && *place)
		text = text_format("is deadlocked at %s", place);
	else if (is_proved(snapshot, index))
		text = text_format("is deadlocked (process %u)", thread->pid);
	free(stack);
	return text ? text_join(text, "", lost_handling(thread)) : NULL;
}

char *lost_end(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];
	char *text, *name;

	if (process->end == MPSAN_END_SIGNAL) {
		name = text_signal(process->end_value);
		text = text_format("was killed by %s (process %u)", name, process->pid);
		free(name);
		return text;
	}
	return process->end == MPSAN_END_EXIT && process->end_value >= 0 ?
		       text_format("ended with status %d (process %u)", process->end_value,
				   process->pid) :
		       text_format("has ended (process %u)", process->pid);
}
