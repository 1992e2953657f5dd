/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of wait it is that a thread is in. Neighbours: ps_thread.c describes the thread, triage.h the job. */
#ifndef MPSAN_PS_KIND_H
#define MPSAN_PS_KIND_H

#include "../proc/thread_state.h"
#include "../report/kinds.h"
#include "ps.h"

/* The share of a processor from which on a thread counts as running. */
#define KIND_RUNS_PERCENT 10u

/*
 * Adds to a thread of the document:
 *   kind    see ../report/kinds.def
 *   about   what exactly, as a phrase; null
 *   at      the place in the program, or null
 *   by      PID of the process that it waits for, or null
 *   cpu     its share of a processor since it was seen first, 0 to 1; null: unknown
 *   seen_s  how many seconds that is
 *   wakes   how often a second it got a processor meanwhile
 *   until_ns  when a sleep ends, or null
 */
void ps_kind_add(struct ps *ps, json_t *thread, uint32_t index, const struct ps_wait *wait,
		 const struct thread_state *state);

#endif
