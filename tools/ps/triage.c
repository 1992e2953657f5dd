/* SPDX-License-Identifier: Apache-2.0 */
/* Follows who waits for whom to the end, and sorts what is found there by importance. */
#include "triage.h"

#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"

#define EDGES_MAX 64u
#define FINDINGS_MAX 3u

/* ---- threads, and whom they wait for ---- */

static void add_threads(struct triage *triage, const struct ps_process *process)
{
	for (uint32_t i = 0; process->life == PS_ALIVE && i < process->threads.count; i++) {
		const struct ps_thread *thread = &process->threads.item[i];

		if (thread->seen)
			*ARRAY_ADD(&triage->thread) = (struct triage_thread){.process = process,
									     .found = thread,
									     .kind = thread->kind,
									     .is_main = !i,
									     .next = TRIAGE_NONE};
	}
}

/* A thread of a process; `tid` 0: its main thread. `outer`: by its number outside of its PID namespace. */
static uint32_t triage_find(const struct triage *triage, bool outer, uint32_t pid, uint32_t tid)
{
	for (uint32_t i = 0; i < triage->thread.count; i++) {
		const struct triage_thread *thread = &triage->thread.item[i];

		if ((outer ? thread->process->outer_pid : thread->process->pid) == pid &&
		    (tid ? thread->found->tid == tid : thread->is_main))
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

		if (!thread->is_main || thread->process->parent != waiter->process->pid)
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
	const struct ps_owner *owner = &thread->found->waits.owner;
	uint32_t by = thread->found->by;

	if (thread->kind != KIND_lock && thread->kind != KIND_thread && thread->kind != KIND_peer &&
	    thread->kind != KIND_process && thread->kind != KIND_wait &&
	    thread->kind != KIND_endless && thread->kind != KIND_parked &&
	    thread->kind != KIND_polling)
		return;
	if (owner->tid && !owner->gone)
		thread->next = triage_find(triage, false, owner->pid, owner->tid);
	else if (by)
		thread->next = triage_find(triage, true, by, 0);
	else
		thread->next = only_child(triage, thread);
	if (by && thread->next == TRIAGE_NONE)
		thread->next = triage_find(triage, false, by, 0);
	if (thread->next == index || (!owner->tid && is_no_waker(triage, thread)))
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

static bool is_same_command(const struct triage_thread *one, const struct triage_thread *other)
{
	return one->process == other->process || !strcmp(one->process->line, other->process->line);
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
	       !strcmp(triage_place(first), triage_place(thread)) &&
	       !strcmp(first->found->raised ?: "", thread->found->raised ?: "") &&
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
			   const struct ps_process *process)
{
	for (uint32_t i = 0; i < item->members.count; i++)
		if (triage->thread.item[item->members.item[i]].process == process)
			return false;
	return true;
}

static double share_of(const struct triage_thread *thread)
{
	return thread->found->share > 0 ? thread->found->share : 0;
}

static void add_item(struct triage *triage, uint32_t index)
{
	const struct triage_thread *thread = &triage->thread.item[index];
	/* whoever waits for work that has a lock others wait for is no idler */
	enum kind kind = thread->by_lock && thread->kind > KIND_lock ? KIND_lock : thread->kind;
	struct triage_item *item = item_of(triage, index, kind);
	double share = share_of(thread);

	if (share > share_of(&triage->thread.item[item->first]))
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
	uint32_t tid = (uint32_t)jsontext_number(at, "tid"),
		 index = tid ? triage_find(triage, false, (uint32_t)jsontext_number(at, "pid"),
					   tid) :
			       TRIAGE_NONE;
	const struct ps_awaited *waits =
		index == TRIAGE_NONE ? NULL : &triage->thread.item[index].found->waits;

	if (waits && (waits->for_ever ||
		      (waits->since_ns && waits->since_ns <= jsontext_number(finding, "time_ns"))))
		triage->thread.item[index].told = true;
}

/* "proved: RULE: what; why" */
static char *finding_text(const json_t *finding, enum kind kind)
{
	const char *why = jsontext_at(finding, "why");

	return text_format("%s: %s: %s%s%s", kind_head(kind), jsontext_at(finding, "rule"),
			   jsontext_at(finding, "what"), *why ? "; " : "", why);
}

static void add_findings(struct triage *triage, struct ps_picture *picture, enum grade grade,
			 enum kind kind)
{
	unsigned added = 0;
	json_t *step, *one;

	for (uint32_t i = 0; i < picture->findings.count && added < FINDINGS_MAX; i++) {
		const struct ps_finding *finding = &picture->findings.item[i];

		if (finding->grade != grade)
			continue;
		added++;
		*ARRAY_ADD(&picture->triage) = (struct ps_standstill){
			.kind = kind,
			.text = finding_text(finding->told, kind),
			.pid = (uint32_t)jsontext_number(finding->told, "pid"),
			.tid = (uint32_t)jsontext_number(finding->told, "tid"),
			.threads = 1,
			.processes = 1};
		if (kind != KIND_proved)
			continue;
		mark_told(triage, finding->told, finding->told);
		JSON_EACH(step, json_object_get(finding->told, "evidence")) {
			mark_told(triage, finding->told, step);
			JSON_EACH(one, json_object_get(step, "alike"))
				mark_told(triage, finding->told, one);
		}
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

void triage(struct ps_picture *picture)
{
	struct triage triage = {.picture = picture};

	if (!picture->live)
		return;
	for (uint32_t i = 0; i < picture->processes.count; i++)
		add_threads(&triage, &picture->processes.item[i]);
	add_findings(&triage, picture, GRADE_ERROR, KIND_proved);
	add_findings(&triage, picture, GRADE_WARNING, KIND_found);
	triage_add_failed(picture);
	find_items(&triage);
	for (uint32_t i = 0; i < triage.item.count; i++) {
		const struct triage_item *item = &triage.item.item[i];
		const struct triage_thread *first = &triage.thread.item[item->first];

		*ARRAY_ADD(&picture->triage) =
			(struct ps_standstill){.kind = item->kind,
					       .text = triage_text(&triage, item),
					       .pid = first->process->pid,
					       .tid = first->found->tid,
					       .threads = item->threads,
					       .processes = item->processes,
					       .waiters = item->waiters};
		free(item->members.item);
	}
	free(triage.thread.item);
	free(triage.item.item);
}
