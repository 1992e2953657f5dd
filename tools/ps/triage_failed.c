/* SPDX-License-Identifier: Apache-2.0 */
/* The line of the triage about children that have failed, and whose parents have not asked how they ended. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_log.h"
#include "triage.h"

/* Its parent may have ended it by SIGTERM itself. */
static bool has_failed(const struct ps_process *process)
{
	return process->life == PS_ZOMBIE && process->end != MPSAN_END_NONE && process->end_value &&
	       !(process->end == MPSAN_END_SIGNAL && process->end_value == SIGTERM);
}

static const struct ps_process *parent_of(const struct ps_picture *picture,
					  const struct ps_process *child)
{
	for (uint32_t i = 0; i < picture->processes.count; i++) {
		const struct ps_process *process = &picture->processes.item[i];

		if (process->pid == child->parent && process->life == PS_ALIVE)
			return process;
	}
	return NULL;
}

/* Whether a finding says so already. */
static bool is_told(const struct ps_picture *picture, const struct ps_process *process)
{
	AUTO_FREE char *name = text_format("process %u ", process->pid);
	bool told = false;

	for (uint32_t i = 0; i < picture->findings.count; i++)
		told |= picture->findings.item[i].grade != GRADE_NOTE &&
			strstr(picture->findings.item[i].message, name);
	return told;
}

static char *end_text(const struct ps_process *process)
{
	AUTO_FREE char *signal = NULL;

	if (process->end != MPSAN_END_SIGNAL)
		return text_format("exited with status %d", process->end_value);
	signal = text_signal(process->end_value);
	return text_format("was killed by %s", signal);
}

static char *failed_text(const struct ps_process *child, const struct ps_process *parent,
			 unsigned count)
{
	AUTO_FREE char *end = end_text(child),
		       *more = count > 1 ? text_format(" and %u more that failed", count - 1) :
					   text_copy("");

	return text_format(
		"%s: process %u %s, and process %u (%s), which had started it%s, has not "
		"asked after it since",
		kind_head(KIND_failed), child->pid, end, parent->pid, parent->command, more);
}

void triage_add_failed(struct ps_picture *picture)
{
	const struct ps_process *first = NULL, *parent;
	unsigned count = 0;

	for (uint32_t i = 0; i < picture->processes.count; i++) {
		const struct ps_process *process = &picture->processes.item[i];

		if (!has_failed(process) || is_told(picture, process) ||
		    !parent_of(picture, process))
			continue;
		first = first ?: process;
		count++;
	}
	if (!first)
		return;
	parent = parent_of(picture, first);
	*ARRAY_ADD(&picture->triage) =
		(struct ps_standstill){.kind = KIND_failed,
				       .text = failed_text(first, parent, count),
				       .pid = parent->pid,
				       .tid = parent->pid,
				       .threads = 1,
				       .processes = 1};
}
