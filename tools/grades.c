/* See grades.h. */
#include "grades.h"

#include <string.h>

#include "util.h"

static const struct {
	const char *slug;
	const char *fix;
} rules[] = {
#define RULE(id, slug, moment, title, hazard, evidence, grading, fix, source) {slug, fix},
#include "../include/mpsan_rules.def"
#undef RULE
};

static const char *const grade_names[] = {"off", "note", "warning", "error"};

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

enum policy {
#define POLICY(name) POLICY_##name,
#define FLOOR(policy, grade)
#define GRADE(policy, rule, grade)
#include "policies.def"
#undef POLICY
#undef FLOOR
#undef GRADE
	POLICY_COUNT
};

void grades_init(struct grades *grades)
{
	grades->floor = GRADE_NOTE;
	for (int i = 0; i < RULE_COUNT; i++)
		grades->wish[i] = GRADE_AS_FOUND;
#define POLICY(name)
#define FLOOR(of, grade)
#define GRADE(of, rule, grade)             \
	if (POLICY_##of == POLICY_default) \
		grades->wish[RULE_##rule] = GRADE_##grade;
#include "policies.def"
#undef POLICY
#undef FLOOR
#undef GRADE
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

static enum policy policy_find(const char *name)
{
#define POLICY(policy)              \
	if (!strcmp(#policy, name)) \
		return POLICY_##policy;
#define FLOOR(policy, grade)
#define GRADE(policy, rule, grade)
#include "policies.def"
#undef POLICY
#undef FLOOR
#undef GRADE
	return POLICY_COUNT;
}

char *grades_policy(struct grades *grades, const char *name)
{
	enum policy policy = policy_find(name);

	if (policy == POLICY_COUNT)
		return text_format("--policy %s: no such policy; take default, strict, ci or quiet",
				   name);
#define POLICY(name)
#define FLOOR(of, grade)           \
	if (policy == POLICY_##of) \
		grades->floor = GRADE_##grade;
#define GRADE(of, rule, grade)     \
	if (policy == POLICY_##of) \
		grades->wish[RULE_##rule] = GRADE_##grade;
#include "policies.def"
#undef POLICY
#undef FLOOR
#undef GRADE
	return NULL;
}

char *grades_rule(struct grades *grades, const char *slug_and_grade)
{
	const char *equals = strchr(slug_and_grade, '=');
	enum rule_id rule;
	enum grade grade;
	char slug[64];

	if (!equals || (size_t)(equals - slug_and_grade) >= sizeof(slug))
		return text_format("--rule %s: give SLUG=GRADE, for example fork-threads=off",
				   slug_and_grade);
	memcpy(slug, slug_and_grade, equals - slug_and_grade);
	slug[equals - slug_and_grade] = '\0';
	rule = rule_find(slug);
	if (rule == RULE_COUNT)
		return text_format("--rule %s: no such rule; 'mpsan list rules' names them", slug);
	if (!grade_parse(equals + 1, &grade))
		return text_format("--rule %s: no such grade; take off, note, warning or error",
				   slug_and_grade);
	grades->wish[rule] = grade;
	return NULL;
}

enum grade grades_apply(const struct grades *grades, const struct finding *finding)
{
	int wish = grades->wish[finding->rule];
	enum grade grade = wish == GRADE_AS_FOUND ? finding->grade : (enum grade)wish;

	return wish == GRADE_AS_FOUND && grade < grades->floor ? GRADE_OFF : grade;
}
