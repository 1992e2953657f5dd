/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library says itself where no command is at hand: a proof at once, in two lines; the report
 * tells the rest. Neighbours: wait_proof.c proves, wait_rule.h names the rule for both.
 */
#ifndef MPSAN_STDERR_LINES_H
#define MPSAN_STDERR_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/* Before a fork, with all that its child may have to say of it; nothing is kept where nothing is said. */
void print_before_fork(bool preexec, uint32_t threads);

/* An atfork handler kept this lock, in this process. */
void print_left(uint64_t lock);

void print_wait(const struct ev_wait *wait);

#endif
