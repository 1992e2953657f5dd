/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of standstills, and the lines that tell them. Neighbour: ../ps/triage.h makes these. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum kind {
#define KIND(name, head, meaning) KIND_##name,
#include "kinds.def"
#undef KIND
	KIND_COUNT,
};

const char *kind_name(enum kind kind);
const char *kind_head(enum kind kind);
enum kind kind_find(const char *name); /* KIND_unknown: there is no such kind */

/* Whether a line of a triage is printed after `printed` others; `first`: the kind of its first line. */
bool kind_is_told(enum kind first, enum kind kind, unsigned printed);
/* Prints the most important lines of one in a report, each after `before`. */
void kinds_print(FILE *out, const json_t *triage, const char *before);
