/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library would have recorded of a thread in whose process it does not run: its descriptor,
 * from the kernel, and the lock that it waits for, from its stack. Locks that it holds are not known.
 * Neighbour: snapshot.h keeps these records.
 */
#pragma once

#include "snapshot.h"

struct outside;

struct outside *outside_create(const struct reader *reader);
void outside_destroy(struct outside *outside);

/* Looks for alarms that are under way: for when a thread is seen to stand. */
void outside_note_alarms(struct outside *outside, uint64_t now_ns);

/*
 * Whether an alarm is due within that time that was set before the thread stood still, and may be meant as the
 * end of its wait. False if the kernel does not tell.
 */
#define OUTSIDE_ALARM_SOON 3000000000ull /* one further ahead is a time limit for what hangs */
#define OUTSIDE_ANY_ALARM (UINT64_MAX - 1)
bool outside_has_alarm(struct outside *outside, const struct snapshot_thread *thread,
		       uint64_t within_ns);

/* The pthread_self() of a thread; 0: unknown. Needs the right to trace its process. */
uint64_t outside_descriptor(uint32_t pid, uint32_t tid);
/* That of the thread whose stack ends there, also after its end; 0: it is no stack. */
uint64_t outside_descriptor_below(uint32_t pid, uint64_t end);

/* Whether a thread runs a signal handler, or may do so: its stack cannot be read to the end. */
bool outside_in_handler(struct outside *outside, const struct snapshot_thread *thread);

/* A thread's record, without claims; the caller frees it. */
struct mpsan_thread *outside_record(const struct snapshot_thread *thread);

/* Writes into the record the code that the thread began with, as far as its stack is readable. */
void outside_begin(struct outside *outside, const struct snapshot_thread *thread,
		   struct mpsan_thread *record);

/*
 * The same for a Python thread that has just run: a waiter for the GIL wakes up every 5 ms, so it never stands still from
 * one look to the next.
 */
void outside_claim_gil(struct outside *outside, const struct snapshot_thread *thread,
		       struct mpsan_thread *record);

/*
 * Writes into the record what the thread waits for: for threads in a call of futex that have not run
 * since they were last looked at.
 */
void outside_claim(struct outside *outside, const struct snapshot_thread *thread,
		   struct mpsan_thread *record);

/* ---- threads that libraries keep for parallel regions ---- */

/*
 * The library that keeps threads of its own in whose code this address is, as the beginning of its name;
 * NULL: it is in none.
 */
const char *outside_pool(uint32_t pid, uint64_t address);

/*
 * Whether a thread is none of this library's: its whole stack, from its system call to its beginning, has no
 * frame of the library, in which its threads begin. False if the stack cannot be read.
 */
bool outside_is_apart(struct outside *outside, const struct snapshot_thread *thread,
		      const char *library);

/* ---- which threads and workers have ended: has_ended.c; no says nothing ---- */

/* Whether a thread of the same process has ended that began after this one. */
bool has_ended_thread(const struct snapshot *snapshot, const struct snapshot_thread *than);

/*
 * Whether a worker has ended that could have sent something to a process: a child of it, or of its
 * parent if that child began later.
 */
bool has_ended_worker(const struct snapshot *snapshot, uint32_t slot);
