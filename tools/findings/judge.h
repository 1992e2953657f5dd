/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges a session: runs the rules at each trigger, then grades, suppresses and folds their
 * findings. One cause is one finding: repetitions raise its count, and a proof replaces the warning
 * that preceded it. Neighbours: reader.h below, report.h and watch.h above.
 */
#pragma once

#include "../symbols/frames.h"
#include "baseline.h"
#include "grades.h"
#include "suppress.h"

struct judged {
	json_t *json; /* the finding as in the report, with severity and count */
	enum rule_id rule;
	enum grade grade;
	uint32_t count; /* 0: proofs have replaced all instances */
	bool again; /* the last instance was counted before */
	bool shown; /* already printed live */
	bool known; /* in the baseline: not printed, does not affect the exit status */
	bool ends; /* that wait ends by a time limit or a signal handler, but cannot succeed */
	bool is_wait; /* a wait that cannot end: --on-deadlock acts on it */
	uint32_t wait; /* the last one counted; a later proof of it is not counted again */
	uint32_t deadlock; /* index + 1 of the last one; 0: none */
	uint64_t stuck; /* thread and wait of the last deadlock counted; 0: none */
	bool told; /* the line of first_error.h was printed */
	const struct suppression *by; /* suppresses it; NULL: none */
	uint64_t time_ns;
};

/*
 * What an instance of a finding is about: the hold of a lock at a fork connects a warning with its
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

/* A finding about a wait. */
struct stuck {
	struct instance instance;
	struct finding finding;
};

struct judge {
	struct reader *reader;
	const struct grades *grades;
	const struct suppressions *suppressions; /* may be NULL */
	const struct baseline *baseline; /* may be NULL; judge_init sets none */
	struct frames *frames;
	struct findings sink;
	uint32_t suppressed;
	bool hushed[RULE_COUNT]; /* a finding of this rule was suppressed */
	/*
	 * The proof of a wait that was suppressed, or whose rule was set below an error; of one that never ends if
	 * there is one. Its `json` is NULL: none.
	 */
	struct judged hushed_wait;
	ARRAY(struct judged) found; /* in the order of their triggers */
	ARRAY(uint32_t)
	proved; /* deadlocks that a rule calls an error, suppressed ones too: indices */
	struct index_map *found_at; /* index into found, by a hash of the fingerprint */
	ARRAY(struct instance) proofs; /* few enough for a linear search */
	ARRAY(struct instance) candidates;
	/* per rule, the most severe finding about each piece or segment */
	ARRAY(struct instance) shared;
	ARRAY(struct stuck) hangs; /* waits that only lasted long */
	ARRAY(struct stuck) stuck; /* those of which more is known */
	struct index_map *shared_at; /* its index, by rule and piece or segment */
};

void judge_init(struct judge *judge, struct reader *reader, const struct grades *grades,
		const struct suppressions *suppressions);
void judge_finish(struct judge *judge);

/* Shows a finding that ended the program, and lets the run fail, although the baseline has it. */
void judge_unknow(struct judge *judge, struct judged *judged);

/* Why nobody is to hear of `hushed_wait`: "FILE:3 suppresses it". The caller frees it. */
char *judged_hushed_by(const struct judged *judged);

/* Judges the triggers that the reader has ready. */
void judge_triggers(struct judge *judge);

/*
 * When the session is over: adds to findings about waits that something ends what became of them
 * (`outcome`).
 */
void judge_add_outcomes(const struct judge *judge);

/* The worst grade of all current findings that are not in the baseline. */
enum grade judge_worst(const struct judge *judge);
