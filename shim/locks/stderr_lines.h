/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's own lines about locks if no command supervises the session; the report has the
 * details. wait_proof.c proves, wait_rule.h and proof_rule.h choose the rule for the library and the
 * report, record/finding_line.h prints.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/* Before a fork: keeps what its child may have to report, unless nothing is printed. */
void print_before_fork(bool preexec, uint32_t threads);

/* An atfork handler left this lock held, in this process. */
void print_left(uint64_t lock);

/* `name`: that which the program gave to the lock, or "". */
#define PRINT_NAME 256u
void print_wait(const struct ev_wait *wait, const char *name);

/* An unlock failed because the fork changed the owner's TID. */
void print_unlock(const struct ev_unlock_failed *unlock);
