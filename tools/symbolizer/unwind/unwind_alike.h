/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that unwind alike. Hundreds of threads wait in the same functions: where the words that were read to unwind one
 * stack are in another one, at the same distance from its end, the result is the same. An address within the stack must be
 * as far from its end, any other word be equal. Neighbour: unwind.h.
 */
#pragma once

#include <stdbool.h>

#include "../../../include/mpsan_log.h"
#include "../../reader/maps.h"

/* What is asked: as in unwind_stack. */
struct unwind_question {
	const struct modules *modules;
	const struct mpsan_stack *head;
	const uint8_t *bytes;
	size_t max;
	bool signals;
};

/* The number of addresses, copied to `pcs` and `signals`; 0: no such stack is known. */
size_t unwind_alike(const struct unwind_question *question, uint64_t *pcs, uint8_t *signals);

/* Notes that from now on a stack is unwound, each word of it that is read, and the result. */
void unwind_alike_begin(void);
void unwind_alike_read(uint64_t offset, uint64_t word);
void unwind_alike_end(const struct unwind_question *question, const uint64_t *pcs,
		      const uint8_t *signals, size_t count);

void unwind_alike_finish(void);
