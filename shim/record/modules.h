/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects that are loaded, without a lock: a reader that meets an update misses an object at
 * worst. Addresses of code can be named later because each object is in the log.
 */
#ifndef MPSAN_MODULES_H
#define MPSAN_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/* Adds objects that are new. Costs one read of memory when there are none. */
void modules_update(void);

/* Whether an address lies in a known object; `text_start` (may be NULL): where that one's code begins. */
bool modules_have(uint64_t address, uint64_t *text_start);
/* Whether code at this address belongs to the object of the Python interpreter. */
bool modules_is_python(uint64_t code);
bool modules_have_torch(void);

/* Goes on with `hash` over those words that are addresses of code: what else lies on a stack differs from call to call. */
uint64_t modules_hash_code(uint64_t hash, const uint64_t *word, uint64_t words);

#endif
