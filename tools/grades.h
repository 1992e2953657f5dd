/*
 * The rules as the command sees them: their texts, and the grades that policies and --rule give
 * them.
 */
#ifndef MPSAN_GRADES_H
#define MPSAN_GRADES_H

#include "../shim/core/rule.h"

const char *rule_slug(enum rule_id rule);
const char *rule_fix(enum rule_id rule);

/* RULE_COUNT when there is none of that name. */
enum rule_id rule_find(const char *slug);

/* What --policy and --rule ask for. */
struct grades {
	int wish[RULE_COUNT]; /* enum grade, or GRADE_AS_FOUND */
	enum grade floor; /* findings below it are left out */
};

#define GRADE_AS_FOUND (-1)

void grades_init(struct grades *grades);

/* Whether a rule is on: some let the library do more work, and are off until asked for. */
bool grades_asks(const struct grades *grades, enum rule_id rule);
bool rule_is_preset(enum rule_id rule);

/*
 * NULL, or one line (owned by the caller) that says what is wrong. A later call overrides an
 * earlier one.
 */
char *grades_policy(struct grades *grades, const char *name);
char *grades_rule(struct grades *grades, const char *slug_and_grade);

enum grade grades_apply(const struct grades *grades, const struct finding *finding);

const char *grade_text(enum grade grade);

/* False when there is no such grade. */
bool grade_parse(const char *text, enum grade *grade);

#endif
