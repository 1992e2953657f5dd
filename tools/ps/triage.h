/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triage: what kind of standstill a job is in, as a few sentences. Neighbours: ps_kind.h says it of each thread,
 * triage_text.c makes the sentences.
 */
#pragma once

#include "ps_picture.h"

/* Adds it to a picture that is complete otherwise. */
void triage(struct ps_picture *picture);

/* ---- between triage.c and triage_text.c ---- */

struct triage_thread {
	const struct ps_process *process;
	const struct ps_thread *found;
	enum kind kind;
	bool is_main;
	uint32_t next; /* the thread that it waits for; TRIAGE_NONE: none */
	uint32_t leaf; /* where following these ends */
	uint32_t waiters; /* that follow to it */
	bool by_lock; /* one of them by a lock that it has */
	bool told; /* a finding that is listed proves its wait */
};
#define TRIAGE_NONE UINT32_MAX

/* Threads in the same situation, in the order of importance. */
struct triage_item {
	enum kind kind;
	unsigned tier; /* lower: more important */
	uint32_t first; /* index of a thread */
	uint32_t threads, processes, waiters;
	double share; /* of processors, of all of them */
	ARRAY(uint32_t) members;
};

struct triage {
	const struct ps_picture *picture;
	ARRAY(struct triage_thread) thread;
	ARRAY(struct triage_item) item;
};

/* The line of an item; the caller frees it. */
char *triage_text(const struct triage *triage, const struct triage_item *item);
/* triage_failed.c: adds the line about children that have failed, unless a finding tells of them. */
void triage_add_failed(struct ps_picture *picture);
/* Where a thread is, "" if unknown. */
static inline const char *triage_place(const struct triage_thread *thread)
{
	return thread->found->at ?: "";
}
