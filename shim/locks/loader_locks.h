/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loader's locks: one over everything that loads or unloads, which fork makes anew in the child
 * and _Fork does not, and one over the list of loaded objects, which no fork repairs. Both are
 * recursive mutexes in the loader's data, so memory tells who has them.
 */
#ifndef MPSAN_LOADER_LOCKS_H
#define MPSAN_LOADER_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

/*
 * A thread that has the loader's lock: its claim on it, named by the library that it loads. False
 * when it is not known to be in dlopen.
 */
bool loader_claim(const struct mpsan_thread *t, struct mpsan_hold *claim);

/* Where they are; NULL: not found. */
const void *loader_lock(void);
const void *loader_list_lock(void);

/* The thread that has one of them, by the TID that it took it with; 0: nobody, or not known. */
uint32_t loader_owner(const void *lock);

/* In a forked child: the owner, when it is a thread that was left behind, else 0. */
uint32_t loader_orphaned(const void *lock);

#endif
