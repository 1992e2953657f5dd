/* SPDX-License-Identifier: Apache-2.0 */
/* The exception because of which a Python thread is where it is, for reports. Neighbour: pyview.h reads it. */
#pragma once

#include <jansson.h>

/*
 * The text of cpython_raised, or NULL, as `handling` of a thread or a step: {type, text, raised: [frames], how: "handles",
 * "failed" (a Future at hand) or "ended", before: null or {type, text, raised, how: "cause" or "context"}}. A new reference;
 * NULL: there is none.
 */
json_t *raised_json(const char *text);

/* "RuntimeError('CUDA out of memory') raised at train (train.py:88)"; the caller frees it. */
char *raised_name(const json_t *handling);

/*
 * What is said of a thread behind the place where it waits: " while handling RuntimeError('CUDA out of memory') raised at train
 * (train.py:88)", " after … ended the main module", " beside a Future that failed with …"; "" for NULL. The caller frees it.
 */
char *raised_text(const json_t *handling);
