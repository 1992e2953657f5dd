/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library prints of a finding if no command supervises the session: a line with the rule
 * that the report names, and a line that says where the report is.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../common/wait_rule.h"

/*
 * Whether finding_line_at would print: for whoever has to look up what it says. `place`: the caller
 * in the program.
 */
bool finding_line_is_due(enum rule_id rule, uint64_t place);

/*
 * Prints the pieces of a text, which end with NULL, at most FINDING_LINE_PIECES; nothing for
 * RULE_COUNT.
 */
#define FINDING_LINE_PIECES 10u
void finding_line(enum rule_id rule, const char *const *text);

/* As finding_line, but once in this process for each rule and place. */
void finding_line_at(enum rule_id rule, uint64_t place, const char *const *text);
