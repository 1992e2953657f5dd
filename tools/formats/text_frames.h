/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a step in the text report. Neighbour: out_text.c. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Prints the frames of one step of a finding with `steps` steps. In short: Python frames, with
 * those of libraries like multiprocessing folded, and native ones only if there are no Python
 * frames. `verbose`: all frames of both kinds.
 */
void text_frames(FILE *out, const json_t *step, size_t steps, bool verbose);
