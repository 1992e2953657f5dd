/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines of findings: the line of each important frame, added to the frame as `source`, and those around it as
 * `around`: {first: number, lines: texts}. A file is read once per session, and only if it is what the program ran: on the session's host, a
 * text that its user may read, and unchanged since the program started. In doubt no line is shown. Neighbours:
 * ../proc/files/foreign_file.h reads files, frames.h knows which frames are the program's own.
 */
#pragma once

#include "frames.h"

struct sources;

struct sources *sources_create(const struct reader *reader);
void sources_destroy(struct sources *sources);

/*
 * Adds the source line to the first frame of a stack, native or Python, that is the program's own.
 */
void sources_show(struct sources *sources, struct frames *frames, const struct fact_place *at,
		  json_t *stack);
