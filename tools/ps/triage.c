/* SPDX-License-Identifier: Apache-2.0 */
/* Follows who waits for whom to the end, and sorts what is found there by importance. */
#include "triage.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../symbols/raised.h"

#define EDGES_MAX 64u
#define FINDINGS_MAX 3u

/* ---- threads, and whom they wait for ---- */

static void add_threads(struct triage *triage, const json_t *process)
{
	json_t *thread;
	size_t i;

	if (strcmp(jsontext_at(process, "state"), "alive"))
		return;
	json_array_foreach(json_object_get(process, "threads"), i, thread) {
		if (*jsontext_at(thread, "kind"))
			*ARRAY_ADD(&triage->thread) = (struct triage_thread){
				.process = process,
				.json = thread,
				.kind = kind_find(jsontext_at(thread, "kind")),
				.is_main = !i,
				.next = TRIAGE_NONE};
	}
}

/* `tid` 0: the main thread of the process; `key`: by which of its numbers. */
static uint32_t triage_find(const struct triage *triage, const char *key, long long pid,
			    long long tid)
{
	for (uint32_t i = 0; i < triage->thread.count; i++) {
		const struct triage_thread *thread = &triage->thread.item[i];

		if (jsontext_number(thread->process, key) == pid &&
		    (tid ? jsontext_number(thread->json, "tid") == tid : thread->is_main))
			return i;
	}
	return TRIAGE_NONE;
}

/* Who only might end a wait, by what it has open or mapped, is not waited for while it polls, or waits for an end itself. */
static bool is_no_waker(const struct triage *triage, const struct triage_thread *waiter)
{
	enum kind kind = waiter->next == TRIAGE_NONE ? KIND_unknown :
						       triage->thread.item[waiter->next].kind;

	return (waiter->kind == KIND_wait || waiter->kind == KIND_endless ||
		waiter->kind == KIND_parked) &&
	       (kind == KIND_polling || kind == KIND_process || kind == KIND_thread);
}

/* The only child that is left of a process, for whose end it waits; TRIAGE_NONE: there are several. */
static uint32_t only_child(const struct triage *triage, const struct triage_thread *waiter)
{
	uint32_t found = TRIAGE_NONE;

	for (uint32_t i = 0; waiter->kind == KIND_process && i < triage->thread.count; i++) {
		const struct triage_thread *thread = &triage->thread.item[i];

		if (!thread->is_main || jsontext_number(thread->process, "parent") !=
						jsontext_number(waiter->process, "pid"))
			continue;
		if (found != TRIAGE_NONE)
			return TRIAGE_NONE;
		found = i;
	}
	return found;
}

static void find_next(struct triage *triage, uint32_t index)
{
	struct triage_thread *thread = &triage->thread.item[index];
	const json_t *owner = json_object_get(json_object_get(thread->json, "waits_for"), "owner");
	long long by = jsontext_number(thread->json, "by");

	if (thread->kind != KIND_lock && thread->kind != KIND_thread && thread->kind != KIND_peer &&
	    thread->kind != KIND_process && thread->kind != KIND_wait &&
	    thread->kind != KIND_endless && thread->kind != KIND_parked &&
	    thread->kind != KIND_polling)
		return;
	if (json_is_object(owner) && !json_is_true(json_object_get(owner, "gone")))
		thread->next = triage_find(triage, "pid", jsontext_number(owner, "pid"),
					   jsontext_number(owner, "tid"));
	else if (by)
		thread->next = triage_find(triage, "outer_pid", by, 0);
	else
		thread->next = only_child(triage, thread);
	if (by && thread->next == TRIAGE_NONE)
		thread->next = triage_find(triage, "pid", by, 0);
	if (thread->next == index || (!json_is_object(owner) && is_no_waker(triage, thread)))
		thread->next = TRIAGE_NONE;
}

/* A circle has no end: a proof, or others, tell of it. */
static void find_leaf(struct triage *triage, uint32_t index)
{
	struct triage_thread *thread = &triage->thread.item[index];
	uint32_t at = index, before = TRIAGE_NONE;

	for (unsigned i = 0; i < EDGES_MAX && triage->thread.item[at].next != TRIAGE_NONE; i++) {
		before = at;
		at = triage->thread.item[at].next;
	}
	thread->leaf = triage->thread.item[at].next == TRIAGE_NONE ? at : index;
	if (thread->leaf == index || thread->told)
		return;
	triage->thread.item[thread->leaf].waiters++;
	triage->thread.item[thread->leaf].by_lock |= triage->thread.item[before].kind == KIND_lock;
}

/* ---- items ---- */

static bool is_same_cause(const struct triage_thread *one, const struct triage_thread *other)
{
	const json_t *first = json_object_get(one->json, "handling"),
		     *second = json_object_get(other->json, "handling");
	AUTO_FREE char *text = NULL, *with = NULL;

	if (!json_is_object(first) || !json_is_object(second))
		return json_is_object(first) == json_is_object(second);
	text = raised_text(first);
	with = raised_text(second);
	return !strcmp(text, with);
}

static bool is_same_command(const struct triage_thread *one, const struct triage_thread *other)
{
	return one->process == other->process ||
	       json_equal(json_object_get(one->process, "argv"),
			  json_object_get(other->process, "argv"));
}

/* All that runs is one item, and so is a process that is stopped. */
static bool is_alike(const struct triage *triage, const struct triage_item *item,
		     const struct triage_thread *thread, enum kind kind)
{
	const struct triage_thread *first = &triage->thread.item[item->first];

	if (item->kind != kind)
		return false;
	if (kind == KIND_spinning || kind == KIND_running || kind == KIND_stopped)
		return kind != KIND_stopped || first->process == thread->process;
	return is_same_command(first, thread) && first->is_main == thread->is_main &&
	       !strcmp(triage_place(first), triage_place(thread)) && is_same_cause(first, thread) &&
	       (kind != KIND_lock || first == thread);
}

/* `first`: of the program's first process, about which the question is. */
static unsigned tier_of(enum kind kind, bool is_main, bool first)
{
	if (kind <= KIND_running)
		return (unsigned)kind;
	if (kind == KIND_network || kind == KIND_outside || kind == KIND_terminal)
		return KIND_COUNT + (unsigned)kind;
	if (first && (kind == KIND_peer || kind == KIND_wait))
		return 2u * KIND_COUNT;
	/* helper threads of a process are of less interest than its main thread */
	return (is_main ? 2u : 3u) * KIND_COUNT + (unsigned)kind;
}

static struct triage_item *item_of(struct triage *triage, uint32_t index, enum kind kind)
{
	const struct triage_thread *thread = &triage->thread.item[index];
	struct triage_item *item;

	for (uint32_t i = 0; i < triage->item.count; i++)
		if (is_alike(triage, &triage->item.item[i], thread, kind))
			return &triage->item.item[i];
	item = ARRAY_ADD(&triage->item);
	*item = (struct triage_item){
		.kind = kind,
		.first = index,
		.tier = tier_of(kind, thread->is_main, !index && thread->is_main)};
	return item;
}

static bool is_new_process(const struct triage *triage, const struct triage_item *item,
			   const json_t *process)
{
	for (uint32_t i = 0; i < item->members.count; i++)
		if (triage->thread.item[item->members.item[i]].process == process)
			return false;
	return true;
}

static void add_item(struct triage *triage, uint32_t index)
{
	const struct triage_thread *thread = &triage->thread.item[index];
	/* whoever waits for work that has a lock others wait for is no idler */
	enum kind kind = thread->by_lock && thread->kind > KIND_lock ? KIND_lock : thread->kind;
	struct triage_item *item = item_of(triage, index, kind);
	double share = json_real_value(json_object_get(thread->json, "cpu"));

	if (share > json_real_value(json_object_get(triage->thread.item[item->first].json, "cpu")))
		item->first = index;
	item->processes += is_new_process(triage, item, thread->process);
	item->threads++;
	item->waiters += thread->waiters;
	item->share += share;
	*ARRAY_ADD(&item->members) = index;
}

static int compare_items(const void *one, const void *other)
{
	const struct triage_item *a = one, *b = other;

	if (a->tier != b->tier)
		return a->tier < b->tier ? -1 : 1;
	if (a->waiters != b->waiters)
		return a->waiters > b->waiters ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Marks a thread that has waited since before a finding tells of it. */
static void mark_told(struct triage *triage, const json_t *finding, const json_t *at)
{
	long long tid = jsontext_number(at, "tid");
	uint32_t index = tid ? triage_find(triage, "pid", jsontext_number(at, "pid"), tid) :
			       TRIAGE_NONE;
	const json_t *waits = index == TRIAGE_NONE ?
				      NULL :
				      json_object_get(triage->thread.item[index].json, "waits_for");
	long long since_ns = jsontext_number(waits, "since_ns");

	if (json_is_true(json_object_get(waits, "for_ever")) ||
	    (since_ns && since_ns <= jsontext_number(finding, "time_ns")))
		triage->thread.item[index].told = true;
}

static void add_findings(struct triage *triage, json_t *list, const char *severity, enum kind kind)
{
	const struct triage_item item = {.kind = kind, .threads = 1, .processes = 1};
	json_t *finding, *step;
	unsigned added = 0;

	JSON_EACH(finding, json_object_get(triage->document, "findings")) {
		const char *message = jsontext_at(finding, "message");

		if (strcmp(jsontext_at(finding, "severity"), severity) || added++ >= FINDINGS_MAX)
			continue;
		triage_add(list,
			   text_format("%s: %s: %.*s", kind_head(kind),
				       jsontext_at(finding, "rule"), (int)strcspn(message, "\n"),
				       message),
			   &item, jsontext_number(finding, "pid"), jsontext_number(finding, "tid"));
		if (kind != KIND_proved)
			continue;
		mark_told(triage, finding, finding);
		JSON_EACH(step, json_object_get(finding, "evidence"))
			mark_told(triage, finding, step);
	}
}

static void find_items(struct triage *triage)
{
	for (uint32_t k = 0; k < triage->thread.count; k++)
		find_next(triage, k);
	for (uint32_t k = 0; k < triage->thread.count; k++)
		find_leaf(triage, k);
	for (uint32_t k = 0; k < triage->thread.count; k++)
		if (triage->thread.item[k].leaf == k &&
		    (triage->thread.item[k].waiters || !triage->thread.item[k].told))
			add_item(triage, k);
	if (triage->item.count)
		qsort(triage->item.item, triage->item.count, sizeof(*triage->item.item),
		      compare_items);
}

json_t *triage_of(const json_t *document)
{
	json_t *list = json_array();
	struct triage triage = {.document = document};
	json_t *process;

	if (!json_is_true(json_object_get(document, "live")))
		return list;
	JSON_EACH(process, json_object_get(document, "processes"))
		add_threads(&triage, process);
	add_findings(&triage, list, "error", KIND_proved);
	add_findings(&triage, list, "warning", KIND_found);
	triage_add_failed(document, list);
	find_items(&triage);
	for (uint32_t i = 0; i < triage.item.count; i++) {
		const struct triage_item *item = &triage.item.item[i];
		const struct triage_thread *first = &triage.thread.item[item->first];

		triage_add(list, triage_text(&triage, item), item,
			   jsontext_number(first->process, "pid"),
			   jsontext_number(first->json, "tid"));
		free(item->members.item);
	}
	free(triage.thread.item);
	free(triage.item.item);
	return list;
}
