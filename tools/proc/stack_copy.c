/* SPDX-License-Identifier: Apache-2.0 */
/* Copies stacks from outside. */
#include "stack_copy.h"

#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_log.h"
#include "../base/util.h"
#include "procfs.h"

/* Adds the signals that the thread blocks, if they can be read. */
static void note_blocked(uint32_t pid, uint32_t tid, struct mpsan_stack *head)
{
	char text[4096];
	const char *at;

	procfs_read(text, sizeof(text), "%u/task/%u/status", pid, tid);
	at = strstr(text, "\nSigBlk:");
	if (!at)
		return;
	head->regs[0] = strtoull(at + 8, NULL, 16);
	head->valid |= MPSAN_STACK_BLOCKED;
}

/*
 * From glibc 2.42 on the guard of the next stack lies inside of the same mapping, and the copy ends
 * there.
 */
struct mpsan_stack *stack_copy(uint32_t pid, uint32_t tid, const struct proc_call *call,
			       bool signals)
{
	struct proc_mapping mapping;
	struct mpsan_stack *stack;
	uint64_t most;
	long got;

	if (call->state != PROC_IN_CALL || !proc_mapping_lately(pid, call->sp, &mapping))
		return NULL;
	most = mapping.end - call->sp;
	most = most < MPSAN_STACK_BYTES ? most : MPSAN_STACK_BYTES;
	stack = memory_get(sizeof(*stack) + most);
	got = proc_read(pid, call->sp, stack + 1, most);
	if (got <= 0) {
		free(stack);
		return NULL;
	}
	stack->bytes = (uint64_t)got & ~7ull;
	stack->valid = 1u << 7 | 1u << 16;
	stack->regs[7] = call->sp;
	stack->regs[16] = call->pc;
	if (signals)
		note_blocked(pid, tid, stack);
	return stack;
}
