/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic loader's locks: one for loading and unloading, which fork resets in the child and
 * _Fork does not, and one for the list of loaded objects, which no fork resets. Both are recursive
 * mutexes in the loader's data, so memory has their owner.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

/*
 * Fills in the claim of a thread on the loader's lock, named after the library that it loads.
 * False: it is not known to be in dlopen.
 */
bool loader_claim(const struct mpsan_thread *t, struct mpsan_hold *claim);

/* Their addresses; NULL: not found. */
const void *loader_lock(void);
const void *loader_list_lock(void);

/* The owner of one of them, by the TID under which it was taken; 0: none, or unknown. */
uint32_t loader_owner(const void *lock);

/* In a forked child: the owner, if that thread was not copied; otherwise 0. */
uint32_t loader_orphaned(const void *lock);
