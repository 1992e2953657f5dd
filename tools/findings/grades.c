/* SPDX-License-Identifier: Apache-2.0 */
/* Applies policies and --rule to the grades of findings. */
#include "grades.h"

#include <string.h>

#include "../base/suggest.h"
#include "../base/util.h"
#include "../rules/catalog.h"

const struct policy policies[] = {
#define POLICY(name, help) {#name, help},
#define FLOOR(policy, grade)
#define GRADE(policy, rule, grade)
#define LEAST(policy, rule, grade)
#include "policies.def"
#undef POLICY
#undef FLOOR
#undef GRADE
#undef LEAST
	{0},
};

const struct policy_grade policy_rows[] = {
#define POLICY(name, help)
#define FLOOR(policy, grade) {#policy, RULE_COUNT, GRADE_##grade, false},
#define GRADE(policy, rule, grade) {#policy, RULE_##rule, GRADE_##grade, false},
#define LEAST(policy, rule, grade) {#policy, RULE_##rule, GRADE_##grade, true},
#include "policies.def"
#undef POLICY
#undef FLOOR
#undef GRADE
#undef LEAST
	{0},
};

static const char *const grade_names[] = {
#define GRADE(name, text) text,
	GRADES
#undef GRADE
};

const char *grade_text(enum grade grade)
{
	return grade_names[grade];
}

bool grade_parse(const char *text, enum grade *grade)
{
	for (int i = GRADE_OFF; i <= GRADE_ERROR; i++) {
		if (strcmp(grade_names[i], text))
			continue;
		*grade = i;
		return true;
	}
	return false;
}

static void take_rows(struct grades *grades, const char *name)
{
	const struct policy_grade *row = policy_rows;

	for (; row->policy; row++) {
		if (strcmp(row->policy, name))
			continue;
		if (row->rule == RULE_COUNT)
			grades->floor = (enum grade)row->grade;
		else if (grades->is_asked[row->rule])
			continue;
		else if (row->is_least)
			grades->least[row->rule] = (enum grade)row->grade;
		else
			grades->wish[row->rule] = row->grade;
	}
}

void grades_init(struct grades *grades)
{
	*grades = (struct grades){.floor = GRADE_NOTE};
	for (int i = 0; i < RULE_COUNT; i++)
		grades->wish[i] = GRADE_AS_FOUND;
	take_rows(grades, "default");
}

bool grades_asks(const struct grades *grades, enum rule_id rule)
{
	return grades->wish[rule] != GRADE_OFF;
}

bool rule_is_preset(enum rule_id rule)
{
	struct grades grades;

	grades_init(&grades);
	return grades_asks(&grades, rule);
}

static const char *policy_name(size_t number)
{
	return policies[number].name;
}

static char *wrong_policy(const char *name)
{
	AUTO_FREE char *near = suggest_names(name, policy_name);

	return text_format("--policy %s: no such policy%s; 'mpsan list policies' lists them", name,
			   near);
}

char *grades_policy(struct grades *grades, const char *name)
{
	const struct policy *policy = policies;
	struct grades before = *grades;

	while (policy->name && strcmp(policy->name, name))
		policy++;
	if (!policy->name)
		return wrong_policy(name);
	grades_init(grades);
	for (int i = 0; i < RULE_COUNT; i++) {
		grades->is_asked[i] = before.is_asked[i];
		if (before.is_asked[i])
			grades->wish[i] = before.wish[i];
	}
	take_rows(grades, name);
	return NULL;
}

char *grades_rule(struct grades *grades, const char *slug_and_grade)
{
	const char *equals = strchr(slug_and_grade, '=');
	enum rule_id rule;
	enum grade grade;
	char slug[64];

	if (!equals || (size_t)(equals - slug_and_grade) >= sizeof(slug))
		return text_format("--rule %s: expected SLUG=GRADE, for example fork-threads=off",
				   slug_and_grade);
	memcpy(slug, slug_and_grade, equals - slug_and_grade);
	slug[equals - slug_and_grade] = '\0';
	rule = rule_find(slug);
	if (rule == RULE_COUNT) {
		AUTO_FREE char *near = suggest_names(slug, rule_name);

		return text_format("--rule %s: no such rule%s; 'mpsan list rules' lists them", slug,
				   near);
	}
	if (!grade_parse(equals + 1, &grade))
		return text_format("--rule %s: no such grade; use off, note, warning or error",
				   slug_and_grade);
	grades->wish[rule] = grade;
	grades->least[rule] = GRADE_OFF;
	grades->is_asked[rule] = true;
	return NULL;
}

enum grade grades_apply(const struct grades *grades, const struct finding *finding)
{
	int wish = grades->wish[finding->rule];
	enum grade grade = wish == GRADE_AS_FOUND ? finding->grade : (enum grade)wish;

	if (wish != GRADE_AS_FOUND)
		return grade;
	if (grade != GRADE_OFF && grade < grades->least[finding->rule])
		grade = grades->least[finding->rule];
	return grade < grades->floor ? GRADE_OFF : grade;
}
