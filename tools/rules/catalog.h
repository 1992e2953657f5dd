/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of the rules from include/mpsan_rules.def, by rule and by slug. */
#pragma once

#include <stddef.h>

#include "rule.h"

/* The texts of a rule's row. */
struct rule_words {
	const char *slug, *title, *hazard, *evidence, *grading, *fix, *source;
};
const struct rule_words *rule_words(enum rule_id rule);
const char *rule_slug(enum rule_id rule);
const char *rule_fix(enum rule_id rule);

/* RULE_COUNT if no rule has that slug. */
enum rule_id rule_find(const char *slug);

/* The slug of that row, NULL behind the last: a list for suggest_names. */
const char *rule_name(size_t number);
