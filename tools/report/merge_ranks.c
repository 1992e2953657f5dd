/* SPDX-License-Identifier: Apache-2.0 */
/* Solves, over several sessions, who waits for whom. */
#include "merge_ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../shim/common/hash.h"
#include "../base/headline.h"
#include "../base/jsontext.h"
#include "../evidence/steps/alike.h"
#include "../ranks/stuck.h"

/* What was last recorded of a rank. */
struct merged_rank {
	uint64_t job, world;
	struct stuck_rank rank;
	struct collective in;
	uint32_t *needs;
	char *what; /* of one that will not come */
	uint32_t source, pid, tid;
	uint64_t time_ns; /* wall clock of the first session */
};

struct merge_ranks {
	ARRAY(struct merged_rank *) item;
};

struct merge_ranks *merge_ranks_create(void)
{
	return memory_get(sizeof(struct merge_ranks));
}

static void merged_free(struct merged_rank *one)
{
	free(one->needs);
	free(one->what);
	free(one);
}

void merge_ranks_destroy(struct merge_ranks *merge)
{
	if (!merge)
		return;
	for (uint32_t i = 0; i < merge->item.count; i++)
		merged_free(merge->item.item[i]);
	free(merge->item.item);
	free(merge);
}

/* ---- what was recorded ---- */

static void read_needs(struct merged_rank *one, const char *text)
{
	char *end;

	one->needs = memory_get((strlen(text) / 2 + 1) * sizeof(*one->needs));
	for (; *text; text = *end ? end + 1 : end) {
		one->needs[one->rank.needs_count] = (uint32_t)strtoul(text, &end, 10);
		if (end == text)
			break;
		one->rank.needs_count++;
	}
	one->rank.needs = one->rank.needs_count ? one->needs : NULL;
}

static struct merged_rank *read_event(const struct reader *reader, const struct fact_event *event)
{
	const struct ev_rank *ev = EVENT_AS(event, rank);
	const char *what = reader_text(reader, event->slot, ev->what) ?: "",
		   *place = reader_text(reader, event->slot, ev->place) ?: "",
		   *needs = reader_text(reader, event->slot, ev->needs) ?: "";
	struct merged_rank *one = memory_get(sizeof(*one));

	one->job = ev->job;
	one->world = ev->world;
	one->rank.number = (uint32_t)ev->rank;
	one->rank.state = ev->state <= RANK_MISSING ? (enum rank_state)ev->state : RANK_OPEN;
	snprintf(one->in.name, sizeof(one->in.name), "%s", what);
	snprintf(one->in.place, sizeof(one->in.place), "%s", place);
	one->what = text_copy(what);
	read_needs(one, needs);
	one->pid = reader->session.table[event->by].pid;
	one->tid = event_tid(event);
	one->time_ns = reader_real_ns(reader, event_time(event));
	return one;
}

static struct merged_rank **find_same(struct merge_ranks *merge, const struct merged_rank *one)
{
	for (uint32_t i = 0; i < merge->item.count; i++) {
		const struct merged_rank *other = merge->item.item[i];

		if (other->job == one->job && other->world == one->world &&
		    other->rank.number == one->rank.number)
			return &merge->item.item[i];
	}
	return NULL;
}

void merge_ranks_add(struct merge_ranks *merge, uint32_t source, int64_t skew_ns,
		     const struct judge *judge)
{
	const struct reader *reader = judge->reader;

	for (uint32_t i = 0; i < reader->facts.event_count; i++) {
		const struct fact_event *event = &reader->facts.events[i];
		struct merged_rank *one, **same;

		if (event->type != EV_rank || event->by >= reader->session.slots)
			continue;
		one = read_event(reader, event);
		one->source = source;
		one->time_ns -= (uint64_t)skew_ns;
		same = find_same(merge, one);
		if (same) {
			merged_free(*same);
			*same = one;
		} else {
			*ARRAY_ADD(&merge->item) = one;
		}
	}
}

/* ---- the finding ---- */

static int compare_ranks(const void *one, const void *other)
{
	const struct merged_rank *a = *(struct merged_rank *const *)one,
				 *b = *(struct merged_rank *const *)other;

	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	if (a->world != b->world)
		return a->world < b->world ? -1 : 1;
	return (a->rank.number > b->rank.number) - (a->rank.number < b->rank.number);
}

static json_t *step_of(const struct merged_rank *one, const struct stuck_rank *rank,
		       const struct report *report)
{
	const char *host = report->source.item[one->source].host;
	AUTO_FREE char *text = stuck_text(rank, 1);
	json_t *step = json_pack("{s:o, s:s, s:n, s:I, s:I, s:n, s:I, s:[], s:[], s:I}", "what",
				 jsontext_of(text), "role", "blocked", "at", "pid",
				 (json_int_t)one->pid, "tid", (json_int_t)one->tid, "thread",
				 "time_ns", (json_int_t)one->time_ns, "stack", "python", "rank",
				 (json_int_t)rank->number);

	if (host)
		json_object_set_new(step, "host", jsontext_of(host));
	return step;
}

/* `first`: the finding is about it. */
static struct alike_wait wait_of(const struct merged_rank *one, const struct stuck_rank *rank,
				 bool first, const struct report *report)
{
	return (struct alike_wait){
		.step = step_of(one, rank, report),
		.place = rank->stuck && *rank->in->place ? text_copy(rank->in->place) : NULL,
		.awaited = rank->stuck ? text_format("the other ranks in %s", rank->in->name) :
					 text_copy(rank->what),
		.single = first || !rank->stuck,
	};
}

static json_t *finding_of(struct merged_rank **one, const struct stuck_rank *rank, uint32_t count,
			  enum grade grade, const struct report *report)
{
	const struct rule_words *words = rule_words(RULE_collective_mismatch);
	char *message = stuck_text(rank, count), print[17];
	struct headline headline = headline_split(message);
	AUTO_FREE char *what = headline_fit(headline.what,
					    headline_left(one[0]->pid, grade_text(grade),
							  rule_slug(RULE_collective_mismatch))),
		       *why = headline_fit(headline.why, HEADLINE_REST);
	AUTO_FREE struct alike_wait *wait = memory_get(count * sizeof(*wait));
	json_t *steps = json_array(), *finding;
	uint32_t first = 0, waits = 0;

	while (first + 1 < count && !rank[first].stuck)
		first++;
	for (uint32_t i = 0; i < count; i++)
		if (rank[i].stuck || rank[i].lacked)
			wait[waits++] = wait_of(one[i], &rank[i], i == first, report);
	alike_steps(wait, waits, steps);
	snprintf(print, sizeof(print), "%016" PRIx64,
		 hash_text(hash_text(HASH_EMPTY, one[first]->in.name), one[first]->in.place));
	finding = json_pack(
		"{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:i, s:I, s:I, s:n, s:I, s:s, s:n, s:n, s:o}",
		"rule", rule_slug(RULE_collective_mismatch), "title", words->title, "severity",
		grade_text(grade), "message", jsontext_of(message), "what", jsontext_of(what),
		"why", jsontext_of(why), "fix", rule_fix(RULE_collective_mismatch), "count", 1,
		"pid", (json_int_t)one[first]->pid, "tid", (json_int_t)one[first]->tid, "thread",
		"time_ns", (json_int_t)one[first]->time_ns, "fingerprint", print, "lock", "subject",
		"evidence", steps);
	headline_drop(&headline);
	free(message);
	return finding;
}

/* Whether ranks of several sessions are part of it: those of one were told there. */
static bool is_spread(struct merged_rank *const *one, const struct stuck_rank *rank, uint32_t count)
{
	uint32_t source = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++) {
		if (!rank[i].stuck && !rank[i].lacked)
			continue;
		if (source != UINT32_MAX && source != one[i]->source)
			return true;
		source = one[i]->source;
	}
	return false;
}

static void judge_job(struct merged_rank **one, uint32_t count, const struct report *report)
{
	AUTO_FREE struct stuck_rank *rank = memory_get(count * sizeof(*rank));
	struct finding found = {.rule = RULE_collective_mismatch, .grade = GRADE_WARNING};
	enum grade grade;

	for (uint32_t i = 0; i < count; i++) {
		rank[i] = one[i]->rank;
		rank[i].in = &one[i]->in;
		rank[i].what = one[i]->what;
	}
	if (stuck_find(rank, count, (uint32_t)one[0]->world) && is_spread(one, rank, count)) {
		if (stuck_is_certain(rank, count))
			found.grade = GRADE_ERROR;
		grade = report->grades ? grades_apply(report->grades, &found) : found.grade;
		if (grade != GRADE_OFF)
			json_array_append_new(json_object_get(report->document, "findings"),
					      finding_of(one, rank, count, grade, report));
	}
}

void merge_ranks_finish(struct merge_ranks *merge, const struct report *report)
{
	uint32_t end;

	if (merge->item.count)
		qsort(merge->item.item, merge->item.count, sizeof(*merge->item.item),
		      compare_ranks);
	for (uint32_t begin = 0; begin < merge->item.count; begin = end) {
		const struct merged_rank *first = merge->item.item[begin];

		for (end = begin + 1; end < merge->item.count &&
				      merge->item.item[end]->job == first->job &&
				      merge->item.item[end]->world == first->world;)
			end++;
		judge_job(&merge->item.item[begin], end - begin, report);
	}
}
