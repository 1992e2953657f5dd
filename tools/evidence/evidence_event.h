/*
 * The part of a story that tells of acts and of the ends of processes: events that carry all their
 * facts. Neighbours: evidence.h, callsite.h; evidence_shm.h adds what is known of shared memory,
 * text_process.h says what processes are called.
 */
#ifndef MPSAN_EVIDENCE_EVENT_H
#define MPSAN_EVIDENCE_EVENT_H

#include "callsite.h"

/* The scenes of one finding; which are there depends on its rule. */
struct event_subjects {
	const struct evidence_context *ctx;
	const struct facts *facts;
	const struct finding *finding;
	const struct fact_event *event, *cause; /* NULL: none */
	struct callsite doer, causer, ended, maker; /* maker: of finding.segment */
	struct fact_place end; /* of finding.process */
};

/* False: the finding is not about such things. */
bool event_gather(struct event_subjects *subjects, const struct evidence_context *ctx,
		  const struct finding *finding);
void event_finish(struct event_subjects *subjects);

/* Who suffers, NULL: nobody; the scene stays the cast's. */
const struct callsite *event_main(const struct event_subjects *subjects);

/* What args.def says of events and processes, and the fields of the event and its cause. */
void event_args(const struct event_subjects *subjects, json_t *args);

/* The scene of a step, NULL for a step of another kind or one that is not there. */
const struct callsite *event_callsite(const struct event_subjects *subjects, enum step_role role);

/* What is the same in every run. */
void event_hash(const struct event_subjects *subjects, uint64_t *hash);

/* The value of an act's field by its name, 0: it has none of that name. */
uint64_t event_field(const struct fact_event *event, const char *name);

#endif
