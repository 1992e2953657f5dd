/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Process-shared locks that a thread holds while it uses an open file description: whoever has one
 * from a request to its answer, or from a seek to what follows, keeps others out that take it, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GATES 2u /* further ones are not looked at */

struct use_gates {
	struct {
		const void *lock; /* NULL: none */
		uint64_t object; /* the same in all processes that share the lock */
	} gate[GATES];
};

/* Those that the calling thread holds, as memory confirms. Slow if there are any. */
void use_gates_take(struct use_gates *gates);

/*
 * Forgets those that the calling thread does not hold now; `on`: or took after the latest use that
 * was made under them. A few loads.
 */
void use_gates_keep(struct use_gates *gates, bool on);

static inline bool use_gates_any(const struct use_gates *gates)
{
	return gates->gate[0].lock || gates->gate[1].lock;
}
