/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of the page of --report html: the document with its frames, stacks and texts stored once,
 * and the part of the timeline that the pictures need. Neighbours: out_html.c puts it into the page,
 * html/data.js reads it.
 */
#pragma once

#include "../report/report.h"

/*
 * A new object: the document without `findings` and `processes`, and
 *  texts     every string of frames, once
 *  frames    [function, file, line, module, offset, source]: indices of texts; -1, or 0 for a
 *            number, if there is none; then, of a frame with `around`: [its `first`, its `lines`]
 *  stacks    lists of frames
 *  findings  as in the document, but stack, python and at of a step are indices (-1: none)
 *  processes as in the document
 *  rules     by slug: title, hazard, evidence, grading, source of the rules with findings
 *  hosts     {host, rank} of the sessions, unless the document has them
 *  line      {threads: [pid, tid, begin, end, session], spans: [thread, kind, begin, end, what],
 *            left_out}: of the threads that findings name; an end of 0 did not come
 */
json_t *html_data(const struct report *report);

/* html_line.c: its `line`. */
json_t *html_line(const struct report *report);
