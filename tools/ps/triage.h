/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triage: what kind of standstill a job is in, as a few sentences, from a document of ps.h. Neighbours:
 * ps_kind.h says it of each thread, triage_text.c makes the sentences.
 */
#pragma once

#include <stdbool.h>

#include "../base/jsontext.h"
#include "../base/util.h"
#include "../report/kinds.h"

/*
 * A new array, the most important first:
 *   {kind, text, pid, tid, threads, processes, waiters}
 * text is the line; pid and tid are of the first thread, 0 for none; threads and processes say how many are
 * in the same situation; waiters how many others wait for one of them. A thread in a line that says "proved" is in no other.
 */
json_t *triage_of(const json_t *document);

/* ---- between triage.c and triage_text.c ---- */

/* A thread of the document. */
struct triage_thread {
	const json_t *process, *json;
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
	const json_t *document;
	ARRAY(struct triage_thread) thread;
	ARRAY(struct triage_item) item;
};

/* Adds a line, whose text it frees. */
void triage_add(json_t *list, char *text, const struct triage_item *item, long long pid,
		long long tid);
/* The line of an item; the caller frees it. */
char *triage_text(const struct triage *triage, const struct triage_item *item);
/* triage_failed.c: adds the line about children that have failed, unless a finding tells of them. */
void triage_add_failed(const json_t *document, json_t *list);
/* Where a thread is, "" if unknown. */
static inline const char *triage_place(const struct triage_thread *thread)
{
	return jsontext_at(thread->json, "at");
}
