/* SPDX-License-Identifier: Apache-2.0 */
/* Tells starting processes from working ones by the Python frames of their main threads. */
#include "startup.h"

#include <stdlib.h>
#include <string.h>

#include "../symbols/pyview.h"

#define LOOKS_WORKING 2u /* a look may fall between two imports */
#define LONGEST_NS 30000000000ull /* of a processor: what takes longer is no start */
#define RANK_NS 2000000000ull
#define STACK_BYTES 16384u

#define IMPORT "\t<frozen importlib._bootstrap>\t"
#define WORKER "_bootstrap\t"
#define WORKER_FILE "multiprocessing/process.py\t"

bool startup_imports(const char *stack)
{
	for (const char *line = stack; *line; line = strchr(line, '\n') + 1) {
		size_t bytes = strcspn(line, "\n");

		if (memmem(line, bytes, IMPORT, sizeof(IMPORT) - 1))
			return true;
		/* What is further out its parent did before the fork. */
		if (!strncmp(line, WORKER, sizeof(WORKER) - 1) &&
		    memmem(line, bytes, WORKER_FILE, sizeof(WORKER_FILE) - 1))
			return false;
		if (!line[bytes])
			break;
	}
	return false;
}

static uint64_t main_thread(const struct workers *workers, const struct snapshot_process *process)
{
	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct snapshot_thread *thread = &workers->snapshot->threads.item[i];

		if (thread->tid == thread->pid)
			return thread->record ? thread->record->pthread : 0;
	}
	return 0;
}

/* A process that cannot be read has been at work; one without frames is about to start or to end. */
static bool is_importing(const struct workers *workers, const struct snapshot_process *process)
{
	AUTO_FREE struct pyview *view = pyview_open((pid_t)process->pid);
	AUTO_FREE char *stack = memory_get(STACK_BYTES);

	return view && !pyview_limit(view) &&
	       (!pyview_stack(view, main_thread(workers, process), stack, STACK_BYTES) ||
		startup_imports(stack));
}

bool startup_lasts(const struct workers *workers, const struct snapshot_process *process)
{
	struct worker *member = &workers->member[process->slot];

	if (member->working == LOOKS_WORKING ||
	    (!member->python && !workers->reader->session.table[process->slot].python))
		return false;
	if (member->total_ran_ns > LONGEST_NS)
		member->working = LOOKS_WORKING;
	else if (!is_importing(workers, process))
		member->working++;
	return member->working < LOOKS_WORKING;
}

bool startup_is_rank(const struct workers *workers, const struct snapshot_process *process)
{
	struct worker *member = &workers->member[process->slot];
	AUTO_FREE struct pyview *view = NULL;

	if (member->rank || mpsan_process_rank(&workers->reader->session.table[process->slot]))
		return true;
	if (workers->snapshot->now_ns < member->rank_due_ns)
		return false;
	member->rank_due_ns = workers->snapshot->now_ns + RANK_NS;
	view = pyview_open((pid_t)process->pid);
	member->rank = view && pyview_rank(view, main_thread(workers, process)).world;
	return member->rank;
}
