/* SPDX-License-Identifier: Apache-2.0 */
/* Finds main threads that stay in torch.distributed although a process started beside theirs has ended. */
#include "missing_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "../../shim/common/hash.h"
#include "../facts/processes.h"
#include "../waits/pythreads.h"
#include "telling.h"

#define ASK_NS 2000000000ull /* frames are read that often */
#define TOLD UINT64_MAX

/* A Python process with the same parent that has ended; SNAPSHOT_NONE: there is none. */
static uint32_t ended_sibling(const struct reader *reader, uint32_t slot)
{
	uint32_t parent = process_parent(&reader->facts, slot);

	READER_EACH_SLOT(reader, other) {
		const struct mpsan_process *process = &reader->session.table[other];

		if (other != slot && process->python && reader->processes[other].gone &&
		    !(process->flags & MPSAN_PROCESS_REPLACED) && parent != FACT_NONE &&
		    process_parent(&reader->facts, other) == parent)
			return other;
	}
	return SNAPSHOT_NONE;
}

/* The program's frames below those of torch.distributed, as a hash; 0: it is not there. */
static uint64_t place_of(const struct snapshot_thread *thread)
{
	static const char library[] = "/torch/";
	char *stack = pythread_stack(thread), *last = NULL;
	uint64_t place = 0;

	if (strstr(stack, "/torch/distributed/"))
		for (char *at = stack; (at = strstr(at, library)); at++)
			last = at;
	if (last && strchr(last, '\n'))
		place = hash_text(HASH_EMPTY, strchr(last, '\n'));
	free(stack);
	return place;
}

static bool is_due(const struct deadlocks *deadlocks, const struct snapshot_thread *thread)
{
	return thread->tid == thread->pid && !thread->told &&
	       deadlocks->snapshot.now_ns >= thread->asks_due_ns &&
	       deadlocks->reader->session.table[thread->slot].python;
}

static void state_rank(struct deadlocks *deadlocks, uint32_t index, uint32_t ended)
{
	struct snapshot_thread *thread = deadlocks_thread(deadlocks, index);
	struct ev_blocked event = telling_describe(deadlocks, index, 0);
	struct telling telling = {0};

	event.since = thread->asks_ns;
	telling_put(deadlocks, &telling, thread->slot, thread->own_tid, &event);
	telling_close(deadlocks, &telling, MPSAN_DEADLOCK_LONG, ended + 1, NULL);
	thread->asks_ns = TOLD;
}

void missing_ranks_state(struct deadlocks *deadlocks, uint64_t since_ns)
{
	for (uint32_t i = 0; i < deadlocks->snapshot.threads.count; i++) {
		struct snapshot_thread *thread = deadlocks_thread(deadlocks, i);
		uint32_t ended;
		uint64_t place;

		if (!is_due(deadlocks, thread))
			continue;
		thread->asks_due_ns = deadlocks->snapshot.now_ns + ASK_NS;
		ended = ended_sibling(deadlocks->reader, thread->slot);
		place = ended == SNAPSHOT_NONE ? 0 : place_of(thread);
		if (place != thread->asks_at)
			thread->asks_ns = deadlocks->snapshot.now_ns;
		thread->asks_at = place;
		if (place && thread->asks_ns <= since_ns)
			state_rank(deadlocks, i, ended);
	}
}
