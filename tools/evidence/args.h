/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that replace the names in braces of messages. All names are in args.def; a unit test
 * compares the texts of all rules with it. Neighbours: evidence.h, evidence_cuda.h.
 */
#pragma once

#include <jansson.h>

enum arg {
#define ARG(name, meaning) ARG_##name,
#include "args.def"
#undef ARG
	ARG_COUNT
};

/* Prefix of fields of the cause. */
#define ARGS_OF_CAUSE "cause_"

/* Sets an argument. Takes over the text; NULL becomes "?". */
void args_set(json_t *args, enum arg arg, char *text);

/* Sets the argument of an event's field; `prefix` is "" or ARGS_OF_CAUSE. */
void args_set_field(json_t *args, const char *prefix, const char *field, char *text);

/* The text of an argument, borrowed; NULL if it was not set. */
const char *args_text(const json_t *args, enum arg arg);

/* The template with every {name} replaced, as a new JSON string. */
json_t *args_fill(const json_t *args, const char *text);

/*
 * Sets `message`, `what` and `why` (headline.h) of a finding that has its pid and rule; `end` is what the message and `why`
 * end with.
 */
void args_tell(const json_t *args, const char *message, const char *end, const char *severity,
	       json_t *finding);

const char *arg_name(enum arg arg);
