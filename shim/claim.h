/* Asks memory whether a claim is true: is this lock, as it lies there, held by that thread? */
#ifndef MPSAN_CLAIM_H
#define MPSAN_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "../include/mpsan_log.h"

/*
 * False when memory refutes the claim, or cannot be read (counted). `flags` receives enum mpsan_lock_flags:
 * properties of the lock.
 */
bool claim_is_true(const struct mpsan_hold *hold, uint32_t tid, uint32_t *flags);

/* Properties of a mutex from its kind word (struct __pthread_mutex_s.__kind, glibc bits/struct_mutex.h). */
uint32_t claim_mutex_flags(int kind);

#endif
