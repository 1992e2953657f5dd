/*
 * The part of a story that tells of a knot: who waits for what, held by whom, thread by thread.
 * Neighbours: story.h, scene.h; the supervisor stated the facts (knots.h).
 */
#ifndef MPSAN_STORY_KNOT_H
#define MPSAN_STORY_KNOT_H

#include "scene.h"

/* Appends a step for each blocked thread of the knot. */
void knot_steps(const struct teller *teller, const struct fact_knot *knot, json_t *steps);

/* "thread A waits for mutex X, held by thread B; thread B waits ...": the circle, or the first ones. */
char *knot_text(const struct teller *teller, const struct fact_knot *knot);

/*
 * What one blocked thread waits for, who has it, where that was taken: NULL when not known. All are
 * owned by the caller.
 */
char *knot_awaited(const struct teller *teller, const struct fact_blocked *blocked);
char *knot_owner(const struct teller *teller, const struct fact_blocked *blocked);
char *knot_taken(const struct teller *teller, const struct fact_blocked *blocked);

/* Whose death made the knot, and how it ended; owned by the caller. */
char *knot_dead(const struct teller *teller, const struct fact_knot *knot);
char *knot_dead_end(const struct teller *teller, const struct fact_knot *knot);

/* What is the same in every run, whichever thread of the circle was seen first. */
void knot_hash(const struct teller *teller, const struct fact_knot *knot, uint64_t *hash);

#endif
