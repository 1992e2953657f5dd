/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the table of the rules' texts from include/mpsan_rules.def. */
#include "catalog.h"

#include <string.h>

static const struct rule_words rules[] = {
#define RULE(id, slug, triggers, title, hazard, evidence, grading, fix, source) \
	{slug, title, hazard, evidence, grading, fix, source},
#include "../../include/mpsan_rules.def"
#undef RULE
};

const struct rule_words *rule_words(enum rule_id rule)
{
	return &rules[rule];
}

const char *rule_slug(enum rule_id rule)
{
	return rules[rule].slug;
}

const char *rule_fix(enum rule_id rule)
{
	return rules[rule].fix;
}

enum rule_id rule_find(const char *slug)
{
	for (int i = 0; i < RULE_COUNT; i++)
		if (!strcmp(rules[i].slug, slug))
			return i;
	return RULE_COUNT;
}

const char *rule_name(size_t number)
{
	return number < RULE_COUNT ? rules[number].slug : NULL;
}
