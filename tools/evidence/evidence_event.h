/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a finding's evidence about events that carry all their facts, and about ends of
 * processes. Neighbours: evidence.h, callsite.h; evidence_shm.h adds shared memory, text_process.h
 * names processes.
 */
#pragma once

#include "callsite.h"

/* The call sites of one finding; which are set depends on its rule. */
struct event_subjects {
	const struct evidence_context *ctx;
	const struct facts *facts;
	const struct finding *finding;
	const struct fact_event *event, *cause; /* NULL: none */
	struct callsite doer, causer, ended, maker; /* maker: of finding.segment */
	struct fact_place event_at, cause_at, made_at; /* of these call sites */
	struct fact_place end; /* of finding.process */
};

/* False: the finding is about neither. */
bool event_gather(struct event_subjects *subjects, const struct evidence_context *ctx,
		  const struct finding *finding);
void event_finish(struct event_subjects *subjects);

/* The call site of the finding itself, borrowed; NULL: none. */
const struct callsite *event_main(const struct event_subjects *subjects);

/*
 * Sets the arguments that args.def lists for events and processes, and the fields of the event and
 * its cause.
 */
void event_args(const struct event_subjects *subjects, json_t *args);

/* The call site of a step; NULL for a step of another kind or without one. */
const struct callsite *event_callsite(const struct event_subjects *subjects, enum step_role role);

/* Mixes what is equal in every run into the fingerprint. */
void event_hash(const struct event_subjects *subjects, uint64_t *hash);

/* The value of an event's field by name; 0 if there is none. */
uint64_t event_field(const struct fact_event *event, const char *name);
