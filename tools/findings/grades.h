/* The grades that policies and --rule give to the rules. Neighbour: catalog.h has their texts. */
#ifndef MPSAN_GRADES_H
#define MPSAN_GRADES_H

#include <stddef.h>

#include "../rules/catalog.h"
#include "../rules/rule.h"

#define GRADE_AS_FOUND (-1)

/* The tables of policies.def, each up to a row without a name. */
struct policy {
	const char *name;
	const char *help;
};
struct policy_grade {
	const char *policy;
	enum rule_id rule; /* RULE_COUNT: the floor */
	int grade; /* enum grade, or GRADE_AS_FOUND */
	bool is_least; /* only what is lower is raised */
};
extern const struct policy policies[];
extern const struct policy_grade policy_rows[];

/* What --policy and --rule ask for. */
struct grades {
	int wish[RULE_COUNT]; /* enum grade, or GRADE_AS_FOUND */
	enum grade least[RULE_COUNT]; /* what is found as it is, is at least this */
	bool is_asked[RULE_COUNT]; /* by --rule, which no policy changes */
	enum grade floor; /* findings below it are left out */
};

void grades_init(struct grades *grades);

/* Whether a rule is on: some let the library do more work, and are off until asked for. */
bool grades_asks(const struct grades *grades, enum rule_id rule);
bool rule_is_preset(enum rule_id rule);

/*
 * NULL, or one line (owned by the caller) that says what is wrong. Of policies the last one holds, of a rule's grades
 * the last one; a rule's own grade holds under any policy, whichever came first.
 */
char *grades_policy(struct grades *grades, const char *name);
char *grades_rule(struct grades *grades, const char *slug_and_grade);

enum grade grades_apply(const struct grades *grades, const struct finding *finding);

const char *grade_text(enum grade grade);

/* False when there is no such grade. */
bool grade_parse(const char *text, enum grade *grade);

#endif
