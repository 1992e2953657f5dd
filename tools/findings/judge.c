/* SPDX-License-Identifier: Apache-2.0 */
/* Grades, suppresses and folds the findings of the rules. */
#include "judge.h"

#include "../rules/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "../../shim/common/hash.h"
#include "../base/index_map.h"
#include "../base/progress.h"
#include "../evidence/evidence.h"
#include "../evidence/evidence_ends.h"
#include "../evidence/steps/alike.h"
#include "same_wait.h"

static void judge_add(struct findings *sink, const struct finding *finding);

void judge_init(struct judge *judge, struct reader *reader, const struct grades *grades,
		const struct suppressions *suppressions)
{
	*judge = (struct judge){.reader = reader, .grades = grades, .suppressions = suppressions};
	judge->frames = frames_create(reader);
	judge->sink.add = judge_add;
	judge->shared_at = index_map_create();
	judge->found_at = index_map_create();
}

void judge_finish(struct judge *judge)
{
	for (uint32_t i = 0; i < judge->found.count; i++)
		json_decref(judge->found.item[i].json);
	free(judge->found.item);
	json_decref(judge->hushed_wait.json);
	free(judge->proved.item);
	free(judge->proofs.item);
	free(judge->candidates.item);
	free(judge->shared.item);
	free(judge->hangs.item);
	free(judge->stuck.item);
	index_map_destroy(judge->shared_at);
	index_map_destroy(judge->found_at);
	frames_destroy(judge->frames);
	*judge = (struct judge){0};
}

static const char *fingerprint_of(const json_t *finding)
{
	return json_string_value(json_object_get(finding, "fingerprint"));
}

static void set_grade(const struct judge *judge, struct judged *judged, enum grade grade)
{
	judged->grade = grade;
	judged->known = judge->baseline &&
			baseline_knows(judge->baseline, fingerprint_of(judged->json), grade);
	json_object_set_new(judged->json, "severity", json_string(grade_text(grade)));
}

static void set_count(struct judged *judged, uint32_t count)
{
	judged->count = count;
	json_object_set_new(judged->json, "count", json_integer(count));
}

/* A key that is never 0. Fingerprints are 64-bit hashes already. */
static uint64_t print_key(const json_t *told)
{
	uint64_t hash = hash_text(HASH_EMPTY, fingerprint_of(told));

	return hash ? hash : 1;
}

static uint32_t find_same(const struct judge *judge, const json_t *told)
{
	return index_map_find(judge->found_at, 0, print_key(told), 0);
}

static bool is_proof_of_wait(const struct finding *finding)
{
	return (finding->wait || finding->deadlock) && finding->grade == GRADE_ERROR;
}

/* Whether the program may go on although the wait cannot succeed; an alarm's default ends it. */
static bool will_end(const struct judge *judge, const struct finding *finding)
{
	const struct facts *facts = &judge->reader->facts;
	const struct fact_blocked *first =
		finding->deadlock ?
			deadlock_subject(facts, &facts->deadlocks[finding->deadlock - 1]) :
			NULL;

	uint64_t ends = finding->wait ? fact_wait_ends(&facts->waits[finding->wait - 1]) :
			first	      ? first->ev.ends :
					MPSAN_ENDS_NEVER;

	return ends != MPSAN_ENDS_NEVER && ends != MPSAN_ENDS_ALARM;
}

/*
 * Identifies the deadlocked thread and its wait, so that the proof of a finding that was reported
 * as a doubt is not counted again, nor a wait with a time limit whenever it is repeated. 0: neither.
 */
static uint64_t stuck_since(const struct judge *judge, const struct finding *finding)
{
	const struct facts *facts = &judge->reader->facts;
	const struct fact_deadlock *deadlock;

	if (finding->wait && will_end(judge, finding)) /* repeated: one wait */
		return facts->waits[finding->wait - 1].ev.lock ^
		       (uint64_t)facts->waits[finding->wait - 1].at.tid << 40;
	if (!finding->deadlock)
		return 0;
	deadlock = &facts->deadlocks[finding->deadlock - 1];
	return deadlock->begin < deadlock->end ?
		       facts->blockeds[deadlock->begin].ev.since ^
			       (uint64_t)facts->blockeds[deadlock->begin].at.tid << 40 :
		       0;
}

/* Steals `told`. */
static struct judged judged_of(const struct judge *judge, json_t *told,
			       const struct finding *finding)
{
	return (struct judged){.json = told,
			       .rule = finding->rule,
			       .count = 1,
			       .is_wait = is_proof_of_wait(finding),
			       .ends = will_end(judge, finding),
			       .wait = finding->wait,
			       .deadlock = finding->deadlock,
			       .stuck = stuck_since(judge, finding),
			       .time_ns = judge->reader->facts.now_ns};
}

/* The thread that waits. */
static const struct fact_place *waiter_of(const struct judge *judge, uint32_t wait,
					  uint32_t deadlock)
{
	const struct facts *facts = &judge->reader->facts;
	const struct fact_blocked *first =
		deadlock ? deadlock_subject(facts, &facts->deadlocks[deadlock - 1]) : NULL;

	return first ? &first->at : wait ? &facts->waits[wait - 1].at : NULL;
}

/* Whether the last one of those before it still waits when this one begins to. */
static bool waits_beside(const struct judge *judge, const struct judged *judged,
			 const struct finding *finding)
{
	const struct fact_place *before = waiter_of(judge, judged->wait, judged->deadlock),
				*at = waiter_of(judge, finding->wait, finding->deadlock);
	const struct fact_process *process = before ? &judge->reader->facts.processes[before->by] :
						      NULL;

	return process && at && judged->is_wait && !judged->ends && is_proof_of_wait(finding) &&
	       !will_end(judge, finding) && (!process->gone || process->gone_ns > at->time_ns);
}

/*
 * Counts a finding; of findings with one fingerprint, the evidence of the most severe is kept.
 * Steals `told`.
 */
static uint32_t judge_fold(struct judge *judge, json_t *told, const struct finding *finding,
			   enum grade grade)
{
	uint32_t index = find_same(judge, told);
	uint64_t stuck = stuck_since(judge, finding);
	struct judged *judged;
	bool same;

	if (index == FACT_NONE) {
		judged = ARRAY_ADD(&judge->found);
		*judged = judged_of(judge, told, finding);
		set_grade(judge, judged, grade);
		index_map_add(judge->found_at, 0, print_key(told), 0, judge->found.count - 1);
		return judge->found.count - 1;
	}
	judged = &judge->found.item[index];
	if (grade > judged->grade || !judged->count) {
		json_decref(judged->json);
		judged->json = json_incref(told);
		judged->shown = false;
		judged->is_wait = is_proof_of_wait(finding);
		judged->ends = will_end(judge, finding);
		set_grade(judge, judged, grade);
	}
	if (waits_beside(judge, judged, finding))
		alike_join(judged->json, told);
	json_decref(told);
	same = (finding->wait && finding->wait == judged->wait) ||
	       (stuck && stuck == judged->stuck);
	set_count(judged, judged->count + !same);
	judged->again = same;
	judged->wait = finding->wait;
	judged->deadlock = finding->deadlock;
	judged->stuck = stuck;
	return index;
}

static bool is_about_same(const struct instance *one, const struct instance *other)
{
	return one->fork && one->fork == other->fork && one->lock && one->lock == other->lock;
}

/* A wait that was reported twice counts once, as the later report. */
static bool is_counted_as(const struct instance *one, const struct instance *other)
{
	return one->found == other->found && one->wait && one->wait == other->wait;
}

static void replace(struct judge *judge, struct instance *instance, const struct instance *by)
{
	struct judged *judged = &judge->found.item[instance->found];

	if (instance->replaced)
		return;
	instance->replaced = true;
	if (!is_counted_as(instance, by))
		set_count(judged, judged->count - 1);
}

/*
 * A proof replaces the warning about the same hold, whichever comes first. For a CUDA driver that
 * was copied by fork, a warning replaces the note as well.
 */
static void judge_tie(struct judge *judge, struct instance fresh)
{
	if (!fresh.fork || !fresh.lock)
		return;
	if (fresh.grade == GRADE_ERROR ||
	    (fresh.lock == EVIDENCE_DRIVER && fresh.grade == GRADE_WARNING)) {
		*ARRAY_ADD(&judge->proofs) = fresh;
		for (uint32_t i = 0; i < judge->candidates.count; i++)
			if (is_about_same(&judge->candidates.item[i], &fresh) &&
			    judge->candidates.item[i].grade < fresh.grade)
				replace(judge, &judge->candidates.item[i], &fresh);
	}
	if (fresh.grade == GRADE_ERROR)
		return;
	*ARRAY_ADD(&judge->candidates) = fresh;
	for (uint32_t i = 0; i < judge->proofs.count; i++)
		if (is_about_same(&judge->proofs.item[i], &fresh) &&
		    judge->proofs.item[i].grade > fresh.grade)
			replace(judge, &judge->candidates.item[judge->candidates.count - 1],
				&judge->proofs.item[i]);
}

/*
 * Of findings of one rule about the same memory only the most severe stays, whichever comes first.
 */
static void judge_tie_shared(struct judge *judge, struct instance fresh,
			     const struct finding *finding)
{
	uint32_t what = finding->piece ? finding->piece : finding->segment, known;
	uint16_t kind = finding->piece ? 0 : 1;

	if (!what)
		return;
	known = index_map_find(judge->shared_at, finding->rule, what, kind);
	if (known == FACT_NONE) {
		*ARRAY_ADD(&judge->shared) = fresh;
		index_map_add(judge->shared_at, finding->rule, what, kind, judge->shared.count - 1);
	} else if (fresh.grade > judge->shared.item[known].grade) {
		replace(judge, &judge->shared.item[known], &fresh);
		judge->shared.item[known] = fresh;
	} else if (fresh.grade < judge->shared.item[known].grade) {
		replace(judge, &fresh, &judge->shared.item[known]);
	}
}

/* They say what a wait looks like while nothing is proved. */
static bool is_unproved(enum rule_id rule)
{
	return rule == RULE_hang || rule == RULE_cleanup_hides_error;
}

/*
 * What is known of a wait replaces a `hang` about it, whichever comes first: the long wait was told
 * before its proof, or again when its program was ended.
 */
static void judge_tie_waits(struct judge *judge, struct instance fresh,
			    const struct finding *finding)
{
	const struct facts *facts = &judge->reader->facts;

	if (!finding->deadlock && !finding->wait)
		return;
	if (!is_unproved(finding->rule)) {
		*ARRAY_ADD(&judge->stuck) = (struct stuck){fresh, *finding};
		for (uint32_t i = 0; i < judge->hangs.count; i++)
			if (judge->hangs.item[i].instance.grade <= fresh.grade &&
			    same_wait(facts, &judge->hangs.item[i].finding, finding))
				replace(judge, &judge->hangs.item[i].instance, &fresh);
		return;
	}
	if (judge->found.item[fresh.found].again)
		return;
	*ARRAY_ADD(&judge->hangs) = (struct stuck){fresh, *finding};
	for (uint32_t i = 0; i < judge->stuck.count; i++)
		if (fresh.grade <= judge->stuck.item[i].instance.grade &&
		    same_wait(facts, finding, &judge->stuck.item[i].finding))
			replace(judge, &judge->hangs.item[judge->hangs.count - 1].instance, &fresh);
}

/* The program hangs although nobody wants to hear of it. `told`: NULL if the rule is off. */
static void keep_hushed(struct judge *judge, json_t *told, const struct finding *finding,
			enum grade grade, const struct suppression *by)
{
	struct judged *kept = &judge->hushed_wait;
	bool better = !kept->json || (kept->ends && !will_end(judge, finding));

	if (!is_proof_of_wait(finding) || !better)
		return;
	json_decref(kept->json);
	told = told ? json_incref(told) : evidence_build(judge->reader, judge->frames, finding);
	*kept = judged_of(judge, told, finding);
	kept->by = by;
	set_grade(judge, kept, grade);
}

char *judged_hushed_by(const struct judged *judged)
{
	return judged->by ?
		       text_format("%s:%u suppresses it", judged->by->file, judged->by->number) :
		       text_format("its rule is set to %s", grade_text(judged->grade));
}

static void judge_add(struct findings *sink, const struct finding *finding)
{
	struct judge *judge = (struct judge *)((char *)sink - offsetof(struct judge, sink));
	enum grade grade = grades_apply(judge->grades, finding);
	json_t *told = grade == GRADE_OFF ? NULL :
					    evidence_build(judge->reader, judge->frames, finding);
	const struct suppression *by;
	struct instance fresh;
	uint32_t index;

	if (finding->deadlock && finding->grade == GRADE_ERROR)
		*ARRAY_ADD(&judge->proved) = finding->deadlock - 1;
	by = told && judge->suppressions ? suppressions_match(judge->suppressions, told) : NULL;
	if (by || grade < GRADE_ERROR)
		keep_hushed(judge, told, finding, grade, by);
	if (by) {
		judge->suppressed++;
		judge->hushed[finding->rule] = true;
		json_decref(told);
	}
	if (by || !told)
		return;
	index = judge_fold(judge, told, finding, grade);
	fresh = (struct instance){index,	  finding->fork,
				  finding->wait,  evidence_lock(&judge->reader->facts, finding),
				  finding->grade, false};
	judge_tie(judge, fresh);
	judge_tie_shared(judge, fresh, finding);
	judge_tie_waits(judge, fresh, finding);
}

void judge_unknow(struct judge *judge, struct judged *judged)
{
	if (judged->known)
		baseline_forget(judge->baseline, fingerprint_of(judged->json));
	judged->known = false;
}

/* Whoever has an error to mend does not ask how many workers are best. */
static void drop_advice(struct judge *judge)
{
	if (judge_worst(judge) < GRADE_ERROR)
		return;
	for (uint32_t i = 0; i < judge->found.count; i++)
		if (judge->found.item[i].rule == RULE_too_many_workers &&
		    judge->found.item[i].grade == GRADE_NOTE)
			set_count(&judge->found.item[i], 0);
}

void judge_triggers(struct judge *judge)
{
	struct trigger trigger;

	progress_phase("judging", judge->reader->ready.count);
	while (reader_next_trigger(judge->reader, &trigger)) {
		rules_run(&judge->reader->facts, &trigger, &judge->sink);
		progress_step(1);
	}
	drop_advice(judge);
}

void judge_add_outcomes(const struct judge *judge)
{
	for (uint32_t i = 0; i < judge->found.count; i++) {
		const struct judged *judged = &judge->found.item[i];

		ends_add_outcome(judge->reader, judged->deadlock, judged->wait, judged->json);
	}
}

enum grade judge_worst(const struct judge *judge)
{
	enum grade worst = GRADE_OFF;

	for (uint32_t i = 0; i < judge->found.count; i++)
		if (judge->found.item[i].count && !judge->found.item[i].known &&
		    judge->found.item[i].grade > worst)
			worst = judge->found.item[i].grade;
	return worst;
}
