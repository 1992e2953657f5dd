/*
 * The source lines of a story: the line of each frame that matters, put into the frame as `source` when the story is
 * told. A file is read once for a session, and only as what the program saw: on the host of the session, a text, and
 * unchanged since the program started. Where that is in doubt there is no line. Neighbours: source_file.h reads,
 * frames.h knows which frames are the program's own.
 */
#ifndef MPSAN_SOURCES_H
#define MPSAN_SOURCES_H

#include "frames.h"

struct sources;

struct sources *sources_create(const struct reader *reader);
void sources_destroy(struct sources *sources);

/* Puts its line into the first frame of a stack, native or Python's, that is the program's own. */
void sources_show(struct sources *sources, struct frames *frames, const struct fact_place *at,
		  json_t *stack);

#endif
