/*
 * The part of a story that tells of acts and of the ends of processes: events that carry all their
 * facts. Neighbours: story.h, scene.h; story_shm.h adds what is known of shared memory,
 * names_process.h says what processes are called.
 */
#ifndef MPSAN_STORY_ACT_H
#define MPSAN_STORY_ACT_H

#include "scene.h"

/* The scenes of one finding; which are there depends on its rule. */
struct act_cast {
	const struct teller *teller;
	const struct facts *facts;
	const struct finding *finding;
	const struct fact_act *act, *cause; /* NULL: none */
	struct scene doer, causer, ended, maker; /* maker: of finding.segment */
	struct fact_place end; /* of finding.process */
};

/* False: the finding is not about such things. */
bool act_gather(struct act_cast *cast, const struct teller *teller, const struct finding *finding);
void act_finish(struct act_cast *cast);

/* Who suffers, NULL: nobody; the scene stays the cast's. */
const struct scene *act_main(const struct act_cast *cast);

/*
 * {FIELD} and {cause_FIELD} for every field of the act and its cause; {who} {cause_who} {process}:
 * what these processes are called; {end} how the process ended, and when; {amount},
 * {amount_bytes}; {parent_process} {parent_end}: who made {process}; {left_behind}: which of its workers outlived it;
 * {at} {cause_at} places.
 */
void act_words(const struct act_cast *cast, json_t *words);

/* The scene of a step, NULL for a step of another kind or one that is not there. */
const struct scene *act_scene(const struct act_cast *cast, enum step_role role);

/* What is the same in every run. */
void act_hash(const struct act_cast *cast, uint64_t *hash);

/* The value of an act's field by its name, 0: it has none of that name. */
uint64_t act_field(const struct fact_act *act, const char *name);

#endif
