/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grades that policies and --rule assign to rules. Neighbour: catalog.h has the rules' texts.
 */
#pragma once

#include "../rules/catalog.h"
#include "../rules/rule.h"

#define GRADE_AS_FOUND (-1)

/* The tables of policies.def, each terminated by a row without a name. */
struct policy {
	const char *name;
	const char *help;
};
struct policy_grade {
	const char *policy;
	enum rule_id rule; /* RULE_COUNT: the row sets the policy's floor */
	int grade; /* enum grade, or GRADE_AS_FOUND */
	bool is_least; /* raises lower grades only */
};
extern const struct policy policies[];
extern const struct policy_grade policy_rows[];

/* The result of --policy and --rule. */
struct grades {
	int wish[RULE_COUNT]; /* enum grade, or GRADE_AS_FOUND */
	enum grade least[RULE_COUNT]; /* lowest grade of a finding graded as found */
	bool is_asked[RULE_COUNT]; /* set by --rule; policies do not change it */
	enum grade floor; /* findings below this grade are not reported */
};

void grades_init(struct grades *grades);

/* Whether a rule is on. Some cost extra work in the library and are off by default. */
bool grades_asks(const struct grades *grades, enum rule_id rule);
bool rule_is_preset(enum rule_id rule);

/*
 * Apply --policy or --rule. Return NULL, or a one-line error that the caller frees. The last policy
 * counts, and each rule's last grade; a grade by --rule overrides any policy, whatever their order.
 */
char *grades_policy(struct grades *grades, const char *name);
char *grades_rule(struct grades *grades, const char *slug_and_grade);

enum grade grades_apply(const struct grades *grades, const struct finding *finding);

const char *grade_text(enum grade grade);

/* False if there is no such grade. */
bool grade_parse(const char *text, enum grade *grade);
