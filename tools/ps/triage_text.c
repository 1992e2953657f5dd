/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of the triage. */
#include <stdlib.h>
#include <string.h>

#include "ps_text.h"
#include "triage.h"

#define NAMED 3u /* threads or processes */

/* ---- who ---- */

static char *process_text(const struct ps_process *process)
{
	if (process->rank)
		return text_format("process %u (rank %u, %s)", process->pid, process->rank - 1,
				   process->command);
	return process->name ? text_format("%s (pid %u)", process->name, process->pid) :
			       text_format("process %u (%s)", process->pid, process->command);
}

static char *thread_name(const struct triage_thread *thread)
{
	return thread->is_main ? text_copy("the main thread") :
				 ps_thread_name(thread->found->name, thread->found->tid);
}

static char *one_text(const struct triage_thread *thread)
{
	AUTO_FREE char *name = thread_name(thread), *process = process_text(thread->process);

	return text_format("%s of %s", name, process);
}

/* "the main threads of 4 processes (train.py: 1, 2, 3 …)", "30 threads of process 1 (x.py)" */
static char *who_text(const struct triage *triage, const struct triage_item *item)
{
	const struct triage_thread *first = &triage->thread.item[item->first];
	char *list = text_copy(""), *text;
	uint32_t named = 0;

	if (item->threads == 1) {
		free(list);
		return one_text(first);
	}
	if (item->processes == 1) {
		free(list);
		list = process_text(first->process);
		text = text_format("%u threads of %s", item->threads, list);
		free(list);
		return text;
	}
	for (uint32_t i = 0; i < item->members.count && named < NAMED; i++) {
		const struct ps_process *process =
			triage->thread.item[item->members.item[i]].process;

		if (i && triage->thread.item[item->members.item[i - 1]].process == process)
			continue;
		named++;
		list = text_join(list, ", ", text_format("%u", process->pid));
	}
	text = text_format("%s of %u processes (%s: %s%s)",
			   first->is_main ? "the main threads" : "threads", item->processes,
			   first->process->command, list, named < item->processes ? " …" : "");
	free(list);
	return text;
}

/* ---- what ---- */

static const char *about_of(const struct triage_thread *thread)
{
	return thread->found->about ?: "";
}

static char *place_text(const struct triage_thread *thread)
{
	const char *place = triage_place(thread), *handler = thread->found->handler,
		   *raised = thread->kind == KIND_running ? "" :
			     thread->found->raised	  ?:
							    "";

	return *place ? text_format(", at %s%s%s%s", place, handler ? " " : "", handler ?: "",
				    raised) :
			text_copy(raised);
}

static char *since_text(const struct triage *triage, const struct triage_thread *thread)
{
	const struct ps_awaited *waits = &thread->found->waits;
	AUTO_FREE char *lapse = NULL;

	if (!waits->since_ns)
		return text_copy("");
	lapse = line_lapse(waits->since_ns, triage->picture->now_ns);
	return text_format(", for %s%s", waits->at_least ? "at least " : "", lapse);
}

/* A share of a processor, and of what time. */
static char *share_text(const struct triage_thread *thread)
{
	return thread->found->share >= 0 ?
		       text_format(", %.0f %% of a processor in the last %.1f s",
				   100 * thread->found->share, thread->found->seen_s) :
		       text_copy("");
}

static char *running_text(const struct triage *triage, const struct triage_item *item)
{
	char *list = text_copy(""), *text;
	uint32_t named = item->threads < NAMED ? item->threads : NAMED;

	/* the busiest first, then others in their order */
	for (uint32_t i = 0, left = named; left && i <= item->members.count; i++) {
		uint32_t index = i ? item->members.item[i - 1] : item->first;
		const struct triage_thread *thread = &triage->thread.item[index];
		AUTO_FREE char *who = NULL, *place = NULL, *share = NULL;

		if (i && index == item->first)
			continue;
		who = one_text(thread);
		place = place_text(thread);
		share = share_text(thread);
		list = text_join(list, "; ", text_format("%s%s%s", who, place, share));
		left--;
	}
	text = text_format("%u thread%s: %s%s", item->threads,
			   item->threads == 1 ? " runs" : "s run", list,
			   named < item->threads ? "; …" : "");
	free(list);
	return text;
}

/* What the owner of a lock does, or anybody for whom others wait; `many` do the same. */
static char *doing_text(const struct triage *triage, const struct triage_thread *thread, bool many)
{
	const char *about = about_of(thread), *blank = *about ? " " : "", *is = many ? "are" : "is",
		   *s = many ? "" : "s";
	char *text, *place, *share, *since;

	switch (thread->kind) {
	case KIND_spinning:
	case KIND_running:
	case KIND_polling:
		share = share_text(thread);
		text = text_format("run%s%s", s, share);
		free(share);
		break;
	case KIND_sleep:
		text = text_format("sleep%s%s%s", s, blank, about);
		break;
	case KIND_gpu:
	case KIND_disk:
	case KIND_kernel:
		text = text_format("%s %s%s", is, thread->kind == KIND_gpu ? "" : "in ", about);
		break;
	case KIND_stopped:
		text = text_format("%s stopped %s", is, about);
		break;
	default:
		text = text_format("%s%s%s", many ? "wait alike" : "waits", *about ? " for " : "",
				   about);
	}
	place = place_text(thread);
	since = thread->kind == KIND_spinning || thread->kind == KIND_running ||
				thread->kind == KIND_polling ?
			text_copy("") :
			since_text(triage, thread);
	text = text_join(text, "", place);
	return text_join(text, "", since);
}

/* What those that wait for locks of this thread wait for: 'Lock "a", Lock "b"'. */
static char *awaited_locks(const struct triage *triage, uint32_t owner)
{
	char *list = text_copy("");
	uint32_t named = 0;

	for (uint32_t i = 0; i < triage->thread.count; i++) {
		const struct triage_thread *thread = &triage->thread.item[i];
		const char *about = about_of(thread);

		if (thread->next != owner || thread->kind != KIND_lock || !*about ||
		    strstr(list, about))
			continue;
		if (named++ <= NAMED)
			list = text_join(list, ", ", text_copy(named > NAMED ? "…" : about));
	}
	return *list ? list : text_join(list, "", text_copy("a lock"));
}

static char *lock_text(const struct triage *triage, const struct triage_item *item)
{
	const struct triage_thread *owner = &triage->thread.item[item->first];
	AUTO_FREE char *who = one_text(owner), *doing = doing_text(triage, owner, false),
		       *locks = awaited_locks(triage, item->first);

	return owner->by_lock ?
		       text_format("%u thread%s for %s, held by %s, which %s", item->waiters,
				   item->waiters == 1 ? " waits" : "s wait", locks, who, doing) :
		       text_format("%s %s", who, doing);
}

static char *polling_text(const struct triage *triage, const struct triage_item *item)
{
	const struct triage_thread *first = &triage->thread.item[item->first];
	const char *awaited = about_of(first);
	AUTO_FREE char *who = who_text(triage, item), *place = place_text(first),
		       *share = share_text(first);

	return text_format("%s wake%s up %.0f times a second%s%s%s%s", who,
			   item->threads > 1 ? "" : "s",
			   first->found->wakes < 0 ? 0 : first->found->wakes,
			   *awaited ? " from waiting for " : "", awaited, place, share);
}

/* ---- threads at one place that wait for different things ---- */

static const char *member_about(const struct triage *triage, const struct triage_item *item,
				uint32_t i)
{
	return about_of(&triage->thread.item[item->members.item[i]]);
}

/* An address is another object in each process. */
static bool is_same_wait(const struct triage *triage, const struct triage_item *item, uint32_t one,
			 uint32_t other)
{
	const struct triage_thread *thread = triage->thread.item;
	const char *about = member_about(triage, item, one);

	return !strcmp(about, member_about(triage, item, other)) &&
	       (!strstr(about, " 0x") || thread[item->members.item[one]].process ==
						 thread[item->members.item[other]].process);
}

/* The first member that waits for the same. */
static uint32_t same_of(const struct triage *triage, const struct triage_item *item, uint32_t i)
{
	uint32_t first = 0;

	while (!is_same_wait(triage, item, first, i))
		first++;
	return first;
}

static uint32_t count_same(const struct triage *triage, const struct triage_item *item,
			   uint32_t first)
{
	uint32_t count = 0;

	for (uint32_t i = first; i < item->members.count; i++)
		count += same_of(triage, item, i) == first;
	return count;
}

/* Times differ, and say nothing about who waits for whom. */
static bool is_mixed(const struct triage *triage, const struct triage_item *item)
{
	return item->kind > KIND_running && item->kind != KIND_sleep &&
	       item->kind != KIND_polling && item->members.count &&
	       count_same(triage, item, 0) < item->members.count;
}

/* "process 12", "thread \"reader\" (TID 13)", "3 of them" */
static char *part_text(const struct triage *triage, const struct triage_item *item, uint32_t first)
{
	const struct triage_thread *thread = &triage->thread.item[item->members.item[first]];
	uint32_t count = count_same(triage, item, first);

	if (count > 1)
		return text_format("%u of them", count);
	if (item->processes == 1)
		return thread_name(thread);
	return text_format(thread->is_main ? "process %u" : "one of process %u",
			   thread->process->pid);
}

/* "process 12 for data from process 3", or "28 of them for an Event" */
static char *each_text(const struct triage *triage, const struct triage_item *item, uint32_t first)
{
	const char *about = member_about(triage, item, first);
	AUTO_FREE char *part = part_text(triage, item, first);

	return text_format("%s%s%s", part, *about ? " for " : "", about);
}

/* "0x10", "0x10 of process 12" */
static char *address_text(const struct triage *triage, const struct triage_item *item,
			  uint32_t first)
{
	const struct triage_thread *thread = &triage->thread.item[item->members.item[first]];
	const char *address = strstr(member_about(triage, item, first), " 0x") + 1;

	return item->processes == 1 ?
		       text_copy(address) :
		       text_format("%s of process %u", address, thread->process->pid);
}

/* How long the text is that all have in common, if they differ only in an address at the end; 0: they do not. */
static int stem_of(const struct triage *triage, const struct triage_item *item)
{
	const char *about = member_about(triage, item, 0), *address = strstr(about, " 0x");
	size_t stem = address ? (size_t)(address - about) + 3 : 0;

	for (uint32_t i = 0; stem && i < item->members.count; i++)
		if (strncmp(member_about(triage, item, i), about, stem) ||
		    strchr(member_about(triage, item, i) + stem, ' '))
			return 0;
	return stem ? (int)stem - 3 : 0;
}

static char *list_text(const struct triage *triage, const struct triage_item *item,
		       const char *separator,
		       char *text_of(const struct triage *triage, const struct triage_item *item,
				     uint32_t first))
{
	char *list = text_copy("");
	uint32_t named = 0;

	for (uint32_t i = 0; i < item->members.count && named <= NAMED; i++)
		if (same_of(triage, item, i) == i)
			list = text_join(list, separator,
					 named++ < NAMED ? text_of(triage, item, i) :
							   text_copy("…"));
	return list;
}

/*
 * "30 threads of process 1 (x.py) wait, at f (x.py:3): 28 of them for an Event; thread 7 for a Lock", or "4 threads of
 * process 1 (x) wait for futex 0x10, 0x20, at f (x.c:3)"
 */
static char *mixed_text(const struct triage *triage, const struct triage_item *item)
{
	const struct triage_thread *first = &triage->thread.item[item->first];
	AUTO_FREE char *who = who_text(triage, item), *place = place_text(first),
		       *since = since_text(triage, first), *list = NULL;
	int stem = stem_of(triage, item);

	list = list_text(triage, item, stem ? ", " : "; ", stem ? address_text : each_text);
	return stem ? text_format("%s wait for %.*s %s%s%s", who, stem,
				  member_about(triage, item, 0), list, place, since) :
		      text_format("%s wait%s%s: %s", who, place, since, list);
}

static char *plain_text(const struct triage *triage, const struct triage_item *item)
{
	const struct triage_thread *first = &triage->thread.item[item->first];
	AUTO_FREE char *who = item->kind == KIND_stopped ? process_text(first->process) :
							   who_text(triage, item),
		       *doing = doing_text(triage, first,
					   item->kind != KIND_stopped && item->threads > 1);

	return text_format("%s %s", who, doing);
}

/* Whether somebody waits for the end of its process. */
static bool is_to_end(const struct triage *triage, const struct triage_item *item)
{
	for (uint32_t i = 0; i < triage->thread.count; i++)
		if (triage->thread.item[i].next == item->first &&
		    triage->thread.item[i].kind == KIND_process)
			return triage->thread.item[item->first].is_main;
	return false;
}

/* "SIGINT, SIGHUP": those that ask a process to end, of the signals that it ignores. */
static char *ignored_text(const struct ps_process *process)
{
	char *list = text_copy("");

	for (unsigned i = 0; i < PS_ENDINGS; i++)
		if (process->ignores[i])
			list = text_join(list, ", ", text_copy(ps_endings[i].name));
	return list;
}

/* "1 thread waits for that while handling KeyError('k') raised at g (a.py:2)" */
static char *waiters_text(const struct triage *triage, const struct triage_item *item)
{
	const char *raised = NULL;
	bool one = item->waiters == 1, polls = true;

	for (uint32_t i = 0; i < triage->thread.count; i++) {
		const struct triage_thread *thread = &triage->thread.item[i];

		if (i == item->first || thread->leaf != item->first)
			continue;
		polls &= thread->kind == KIND_polling;
		raised = raised ?: thread->found->raised;
	}
	raised = raised ?: "";
	return text_format("%u thread%s for that%s%s%s", item->waiters,
			   polls ? (one ? " asks" : "s ask") : (one ? " waits" : "s wait"),
			   polls ? " again and again" : "",
			   *raised && item->waiters > 1 ? ", one" : "", raised);
}

char *triage_text(const struct triage *triage, const struct triage_item *item)
{
	AUTO_FREE char *ignored = ignored_text(triage->thread.item[item->first].process);
	char *text, *line;

	switch (item->kind) {
	case KIND_spinning:
	case KIND_running:
		text = running_text(triage, item);
		break;
	case KIND_lock:
		text = lock_text(triage, item);
		break;
	case KIND_polling:
		text = polling_text(triage, item);
		break;
	default:
		text = is_mixed(triage, item) ? mixed_text(triage, item) : plain_text(triage, item);
	}
	if (item->kind == KIND_endless || item->kind == KIND_cleanup || item->kind == KIND_parked)
		text = text_join(text,
				 is_mixed(triage, item) && !stem_of(triage, item) ? "; " : ": ",
				 text_copy("no thread of the program is left that could end that"));
	if (*ignored && is_to_end(triage, item))
		text = text_join(text, "; ", text_format("its process ignores %s", ignored));
	line = text_format("%s: %s", kind_head(item->kind), text);
	free(text);
	if (!item->waiters || item->kind == KIND_lock)
		return line;
	return text_join(line, "; ", waiters_text(triage, item));
}
