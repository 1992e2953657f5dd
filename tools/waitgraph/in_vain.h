/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that only test, for something that may never be: they sleep between two tests, wait with a limit, or spin; and
 * those that keep the GIL.
 * Neighbour: long_waits.h.
 */
#pragma once

#include "../symbols/pyspin.h"
#include "../waits/ledger.h"
#include "deadlocks.h"

#define IN_VAIN_PATIENCE 10u /* times as long as a wait may last, an owner may tick */

/* Who has ticked since then helps nobody; who was told to end since then may finish what it has begun. */
uint64_t in_vain_from_ns(const struct deadlocks *deadlocks);

/* Whether a process was told to end, and will not: by a signal that it ignores, or long ago. */
bool in_vain_told(const struct deadlocks *deadlocks, uint32_t slot);

/* Whether it waits for an event that a thread would set, perhaps, which the fork did not copy. */
bool in_vain_lacks_threads(const struct deadlocks *deadlocks, const struct snapshot_thread *thread);

/* Looks closely at those that have run for long beside threads that all rest, and at who has a GIL. */
void in_vain_look(struct deadlocks *deadlocks);

/*
 * The loop that a thread runs now, of Python, or of native code, which computes for certain only if that was its loop before:
 * `run` is of the looks before, all 0 at first.
 */
struct pyspin in_vain_loop(const struct snapshot_thread *thread, struct ledger_run *run);

/* Whether it is a thread that runs, in a loop that only tests. */
bool in_vain_spins(const struct deadlocks *deadlocks, const struct snapshot_thread *thread);

/* Whether it only tests, and its process has read and written nothing for that long. Asked once a look. */
bool in_vain_tests(struct deadlocks *deadlocks, const struct snapshot_thread *thread);

/*
 * Whether it only tests: for longer than anybody has patience with one that ticks; or for what others do in another process;
 * or spins, beside others that all spin, or wait for their job.
 */
bool in_vain(const struct deadlocks *deadlocks, const struct snapshot_thread *thread);
bool in_vain_any(const struct deadlocks *deadlocks);

/* ---- threads that keep the GIL, whatever they do with it ---- */

/* Since when it is known to have had the GIL while it ran, and others waited for it; 0: it has not. */
uint64_t in_vain_gil_since(const struct deadlocks *deadlocks, const struct snapshot_thread *thread);

/* Whether a thread of a process has waited for its GIL since then, and how many have. */
bool in_vain_wants_gil(const struct deadlocks *deadlocks, const struct snapshot_process *process,
		       uint32_t index, uint64_t since_ns);
uint32_t in_vain_gil_waiters(const struct deadlocks *deadlocks,
			     const struct snapshot_process *process, uint64_t since_ns);

/*
 * retries.c: records shells that have slept and started the same programs again and again for that long, while nothing else of the
 * job moved: each try fails each time, or there is none, but a child has failed before. Their job never rests.
 */
void in_vain_retries(struct deadlocks *deadlocks);
