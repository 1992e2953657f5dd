/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of the page of --report html: the document with its frames, stacks and texts told once, and as much of the
 * time line as the pictures need. Neighbours: out_html.c puts it into the page, html/data.js reads it.
 */
#ifndef MPSAN_OUT_HTML_H
#define MPSAN_OUT_HTML_H

#include "../report/report.h"

/*
 * A new object: the document without `findings` and `processes`, and
 *  texts     every string of frames, once
 *  frames    [function, file, line, module, offset]: indices of texts; -1, or 0 for a number, where there is none
 *  stacks    lists of frames
 *  findings  as in the document, but stack, python and at of a step are indices (-1: none)
 *  processes as in the document
 *  rules     by slug: title, hazard, evidence, grading, source, of those that speak
 *  hosts     {host, rank} of the sessions, unless the document has them
 *  line      {threads: [pid, tid, begin, end, session], spans: [thread, kind, begin, end, what], left_out}: of those threads
 *            that findings name; 0 for an end that did not come
 */
json_t *html_data(const struct report *report);

/* html_line.c: its `line`. */
json_t *html_line(const struct report *report);

#endif
