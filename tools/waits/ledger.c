/* SPDX-License-Identifier: Apache-2.0 */
/* Carries entries from one snapshot to the next. */
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

static void forget_old(struct ledger_entry *entry, const struct snapshot_thread *thread)
{
	if (entry->stand.since_ns != thread->still_ns)
		entry->stand = (struct ledger_stand){.since_ns = thread->still_ns};
	if (entry->round.since_ns != thread->round_ns)
		entry->round = (struct ledger_round){.since_ns = thread->round_ns};
	if (entry->call.since_ns != thread->same_ns)
		entry->call = (struct ledger_call){.since_ns = thread->same_ns};
	if (thread->call.state != PROC_RUNS)
		entry->run = (struct ledger_run){0};
	else if (!entry->run.since_ns)
		entry->run = (struct ledger_run){.since_ns = thread->still_ns,
						 .busy_ns = thread->time.ran_ns +
							    thread->time.waited_ns};
	else
		entry->rest.since_ns = thread->rest_ns;
	if (entry->rest.since_ns != thread->rest_ns)
		entry->rest = (struct ledger_rest){.since_ns = thread->rest_ns};
}

void ledger_follow(struct snapshot *snapshot)
{
	struct ledger *ledger = snapshot->ledger;
	__typeof__(ledger->before) empty = ledger->before;

	memcpy(&ledger->before, &ledger->item, sizeof(empty));
	memcpy(&ledger->item, &empty, sizeof(empty));
	ledger->item.count = 0;
	for (uint32_t i = 0; i < snapshot->threads.count; i++) {
		struct snapshot_thread *thread = &snapshot->threads.item[i];
		struct ledger_entry *entry = ARRAY_ADD(&ledger->item);

		*entry = thread->entry ? ledger->before.item[thread->entry - 1] :
					 (struct ledger_entry){0};
		forget_old(entry, thread);
		thread->entry = i + 1;
	}
}

void ledger_destroy(struct ledger *ledger)
{
	free(ledger->item.item);
	free(ledger->before.item);
	free(ledger);
}
