/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loaded objects, read without a lock: a reader that meets an update misses an object at worst.
 * Each object is in the log, so that code addresses can be resolved later.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Adds new objects. Costs one read of memory if there are none. */
void modules_update(void);

/* After a dlclose: what comes next may lie in the same place. */
void modules_unloaded(void);

/*
 * Whether an address lies in a known object; `text_start` (may be NULL): the start of that object's
 * code.
 */
bool modules_have(uint64_t address, uint64_t *text_start);
/* Whether code at this address belongs to the object of the Python interpreter. */
bool modules_is_python(uint64_t code);
bool modules_have_torch(void);

/*
 * Continues `hash` over those words that are code addresses: the rest of a stack differs from call
 * to call.
 */
uint64_t modules_hash_code(uint64_t hash, const uint64_t *word, uint64_t words);
