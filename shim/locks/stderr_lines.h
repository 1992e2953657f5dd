/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's own lines on standard error if no command supervises the session: two for each
 * proven wait; the report has the details. wait_proof.c proves, wait_rule.h chooses the rule for
 * the library and the report.
 */
#ifndef MPSAN_STDERR_LINES_H
#define MPSAN_STDERR_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/* Before a fork: keeps what its child may have to report, unless nothing is printed. */
void print_before_fork(bool preexec, uint32_t threads);

/* An atfork handler left this lock held, in this process. */
void print_left(uint64_t lock);

void print_wait(const struct ev_wait *wait);

#endif
