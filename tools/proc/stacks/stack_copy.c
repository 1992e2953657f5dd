/* SPDX-License-Identifier: Apache-2.0 */
/* Copies stacks from outside. */
#include "stack_copy.h"

#include <stdlib.h>

#include "../../../include/mpsan_log.h"
#include "../../base/util.h"
#include "../process/status.h"
#include "stack_sample.h"

#define TRIES 4u /* for a thread that waits for a processor */

/* Adds the signals that the thread blocks, if they can be read. */
static void note_blocked(uint32_t pid, uint32_t tid, struct mpsan_stack *head)
{
	if (proc_status_number(pid, tid, "SigBlk", 16, &head->regs[0]))
		head->valid |= MPSAN_STACK_BLOCKED;
}

/*
 * Adds what a sample of `got` bytes lacks: the frames of callers, which stand still. The number of
 * bytes then. From glibc 2.42 on the guard of the next stack lies inside of the same mapping, and the copy ends
 * there.
 */
static uint64_t read_rest(uint32_t pid, struct mpsan_stack *stack, uint64_t got)
{
	uint64_t at = stack->regs[MPSAN_STACK_SP] + got, most;
	struct proc_mapping mapping;
	long more;

	if (!(stack->valid >> MPSAN_STACK_SP & 1) || !proc_mapping_lately(pid, at, &mapping))
		return got;
	most = mapping.end - at;
	most = most < MPSAN_STACK_BYTES - got ? most : MPSAN_STACK_BYTES - got;
	more = most ? proc_read(pid, at, (uint8_t *)(stack + 1) + got, most) : 0;
	return more > 0 ? got + (uint64_t)more : got;
}

struct mpsan_stack *stack_copy(uint32_t pid, uint32_t tid, const struct proc_call *call,
			       bool signals)
{
	struct mpsan_stack *stack;
	uint64_t got = 0;

	if (call->state != PROC_IN_CALL && call->state != PROC_RUNS)
		return NULL;
	stack = memory_get(sizeof(*stack) + MPSAN_STACK_BYTES);
	*stack = (struct mpsan_stack){0};
	if (call->state == PROC_RUNS) {
		for (unsigned i = 0; i < TRIES && !got; i++)
			got = stack_sample(tid, stack, MPSAN_STACK_BYTES);
	} else {
		stack->valid = 1ull << MPSAN_STACK_SP | 1ull << MPSAN_STACK_PC;
		stack->regs[MPSAN_STACK_SP] = call->sp;
		stack->regs[MPSAN_STACK_PC] = call->pc;
	}
	got = read_rest(pid, stack, got);
	if (!got) {
		free(stack);
		return NULL;
	}
	stack->bytes = got & ~7ull;
	if (signals)
		note_blocked(pid, tid, stack);
	return stack;
}
