/* SPDX-License-Identifier: Apache-2.0 */
/* Detects processes that /proc hides. */
#include "hidepid.h"

#include "../proc/proc.h"

static bool is_hidden(uint32_t pid)
{
	return !proc_stat(pid, pid).state && proc_lives(pid);
}

static void see_child(uint32_t pid, void *found)
{
	*(bool *)found |= is_hidden(pid);
}

/* Processes in other PID namespaces have other numbers here. */
static bool hidden_is_there(const struct reader *reader, uint32_t slot)
{
	const struct mpsan_process *process = &reader->session.table[slot];

	return process->pid && !reader->processes[slot].gone &&
	       !(process->flags & MPSAN_PROCESS_REPLACED) && !elsewhere_is(process);
}

static bool is_hidden_slot(const struct reader *reader, uint32_t slot)
{
	return hidden_is_there(reader, slot) && is_hidden(reader->session.table[slot].pid);
}

uint32_t hidepid_count(const struct reader *reader)
{
	uint32_t count = 0;

	if (hidepid_possible())
		READER_EACH_SLOT(reader, slot)
			count += is_hidden_slot(reader, slot);
	return count;
}

uint32_t hidepid_first(const struct reader *reader)
{
	if (hidepid_possible())
		READER_EACH_SLOT(reader, slot)
			if (is_hidden_slot(reader, slot))
				return slot;
	return FACT_NONE;
}

bool hidepid_any(const struct reader *reader)
{
	bool found = hidepid_first(reader) != FACT_NONE;

	if (hidepid_possible())
		READER_EACH_SLOT(reader, slot)
			if (!found && hidden_is_there(reader, slot))
				proc_children(reader->session.table[slot].pid, see_child, &found);
	return found;
}
