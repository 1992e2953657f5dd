/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of wait it is that a thread is in. Neighbours: ps_thread.c describes the thread, triage.h the job. */
#pragma once

#include <stdlib.h>

#include "../report/kinds.h"
#include "ps.h"
#include "thread_state.h"

/* The share of a processor from which on a thread counts as running. */
#define KIND_RUNS_PERCENT 10u

/* Adds to a thread what is known of living ones only: see ps_picture.h. */
void ps_kind_look(struct ps *ps, struct ps_thread *found, uint32_t index,
		  const struct ps_wait *wait, const struct thread_state *state);

/*
 * Whether a thread that often wakes up waits for pages of a file, by its state, and by how often it did
 * and how often it ran. Pure.
 */
bool kind_loads_pages(char state, bool in_call, uint64_t read_pages, uint64_t runs);

/* ---- between ps_kind.c, ps_kind_fds.c and ps_kind_owner.c ---- */

/* A thread under examination, and what was found. */
struct kind_look {
	struct ps *ps;
	const struct ps_thread *found; /* without its kind */
	const struct snapshot_thread *thread;
	const struct ps_wait *wait;
	const struct wait *seen;
	const struct thread_state *state;
	double share, wakes; /* share < 0: unknown */
	enum kind kind;
	char *about;
	uint32_t by;
	uint64_t until_ns; /* CLOCK_REALTIME */
};

/* Takes over the text. */
static inline void kind_is(struct kind_look *look, enum kind kind, char *about)
{
	free(look->about);
	look->kind = kind;
	look->about = about;
}

/* ps_kind_fds.c: by the descriptors for which it waits; false: they do not say. */
bool kind_by_fds(struct kind_look *look);
/* ps_kind_owner.c: by who has the lock on a file or in shared memory; false: it is no such lock, or unknown. */
bool kind_by_owner(struct kind_look *look);

/* Pipes and sockets of the machine, once for each snapshot; with `locks` also files that are locked. */
const struct pipes *kind_pipes(struct kind_look *look, bool locks);
/* The kind of a wait for that process: of the program, or not. */
enum kind kind_of_other(const struct kind_look *look, uint32_t pid);
