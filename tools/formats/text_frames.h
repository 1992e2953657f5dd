/* Frames of a step in the text report. Neighbour: out_text.c. */
#ifndef MPSAN_TEXT_FRAMES_H
#define MPSAN_TEXT_FRAMES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * The frames of one step of a finding that has so many. In short: Python frames with those of libraries like
 * multiprocessing folded, native ones only where there are none. `verbose`: all frames of both kinds.
 */
void text_frames(FILE *out, const json_t *step, size_t steps, bool verbose);

#endif
