/*
 * Texts that take the place of names in braces. All names stand in args.def; a unit test holds the texts
 * of all rules against it. Neighbours: evidence.h, evidence_cuda.h.
 */
#ifndef MPSAN_ARGS_H
#define MPSAN_ARGS_H

#include <jansson.h>

enum arg {
#define ARG(name, meaning) ARG_##name,
#include "args.def"
#undef ARG
	ARG_COUNT
};

/* Before a field's name: it is one of the cause's. */
#define ARGS_OF_CAUSE "cause_"

/* Takes over the text; NULL becomes "?". */
void args_set(json_t *args, enum arg arg, char *text);

/* The same for a field of an event; `prefix` is "" or ARGS_OF_CAUSE. */
void args_set_field(json_t *args, const char *prefix, const char *field, char *text);

/* NULL: it was not set. */
const char *args_text(const json_t *args, enum arg arg);

/* The text with every {name} replaced, as a new JSON string. */
json_t *args_fill(const json_t *args, const char *text);

const char *arg_name(enum arg arg);

#endif
