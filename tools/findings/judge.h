/*
 * Judges a session: runs the rules at each moment, grades, suppresses and folds what they find.
 * One cause is one finding: repeats raise its count, and a proof replaces the warning that
 * foretold it. Neighbours: reader.h below, report.h and watch.h above.
 */
#ifndef MPSAN_JUDGE_H
#define MPSAN_JUDGE_H

#include "../symbols/frames.h"
#include "baseline.h"
#include "grades.h"
#include "suppress.h"

struct judged {
	json_t *json; /* the report's finding, with its severity and count */
	enum rule_id rule;
	enum grade grade;
	uint32_t count; /* 0: every instance was replaced by a proof */
	bool shown; /* already printed live */
	bool known; /* in the baseline: not printed, and no reason to fail */
	bool is_wait; /* a wait that cannot end: what --on-deadlock acts on */
	uint32_t
		wait; /* the last one counted: a later proof of the same one is no second finding */
	uint64_t stuck; /* the thread of the last deadlock counted, and its wait; 0: none */
	uint64_t time_ns;
};

/*
 * What one finding of a rule was about: the same hold of a lock at a fork ties a warning to its
 * proof.
 */
struct instance {
	uint32_t found;
	uint32_t fork;
	uint32_t wait;
	uint64_t lock;
	enum grade grade;
	bool replaced;
};

struct judge {
	struct reader *reader;
	const struct grades *grades;
	const struct suppressions *suppressions; /* may be NULL */
	const struct baseline *baseline; /* may be NULL; judge_init sets none */
	struct frames *frames;
	struct findings sink;
	uint32_t suppressed;
	bool hushed[RULE_COUNT]; /* a finding of it was suppressed */
	ARRAY(struct judged) found; /* in the order of their moments */
	struct index_map *found_at; /* its index, by a hash of the fingerprint */
	ARRAY(struct instance) proofs; /* few, so that tying costs little */
	ARRAY(struct instance) candidates;
	ARRAY(struct instance) shared; /* the worst of each rule about a piece or a segment */
	struct index_map *shared_at; /* its index, by rule and piece or segment */
};

void judge_init(struct judge *judge, struct reader *reader, const struct grades *grades,
		const struct suppressions *suppressions);
void judge_finish(struct judge *judge);

/* What has ended the program is shown, and fails, though the baseline has it. */
void judge_unknow(struct judge *judge, struct judged *judged);

/* Judges the moments that the reader has ready. */
void judge_triggers(struct judge *judge);

/* Worst grade of all findings that still stand and are not known. */
enum grade judge_worst(const struct judge *judge);

#endif
