/* SPDX-License-Identifier: Apache-2.0 */
/* Prints findings on standard error, each once in a process; when full, says no more. */
#include "finding_line.h"

#include <stddef.h>

#include "../common/hash.h"
#include "../common/proof_rule.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "log.h"
#include "state.h"

#define SAID 16u

static uint64_t said[SAID];

/* A forked child has a key of its own for what its parent has said. */
static uint64_t said_key(enum rule_id rule, uint64_t place)
{
	return hash_add(hash_add(hash_add(HASH_EMPTY, life.pid), rule), place) | 1;
}

static bool said_find(uint64_t key)
{
	for (uint32_t i = 0; i < SAID; i++)
		if (__atomic_load_n(&said[i], __ATOMIC_ACQUIRE) == key)
			return true;
	return false;
}

/* False: it was said, here or by another thread meanwhile, or there is no room. */
static bool said_claim(uint64_t key)
{
	for (uint32_t i = 0; i < SAID; i++) {
		uint64_t has = 0;

		if (__atomic_compare_exchange_n(&said[i], &has, key, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return true;
		if (has == key)
			return false;
	}
	return false;
}

bool finding_line_is_due(enum rule_id rule, uint64_t place)
{
	return !life.quiet && rule != RULE_COUNT && !said_find(said_key(rule, place));
}

void finding_line(enum rule_id rule, const char *const *text)
{
	char pid[16];
	const char *line[FINDING_LINE_PIECES + 8] = {
		"==", pid, "== mpsan: ", proof_grade(rule), ": ", wait_rule_slug(rule), ": "};
	const char *const more[] = {
		"==", pid, "== mpsan: `mpsan report ", log_directory(), "` shows where", NULL};

	if (life.quiet || rule == RULE_COUNT)
		return;
	text_put_number(pid, pid + sizeof(pid), life.pid, 10);
	for (uint32_t i = 0; text[i] && i < FINDING_LINE_PIECES; i++)
		line[7 + i] = text[i];
	sys_print(line);
	sys_print(more);
}

void finding_line_at(enum rule_id rule, uint64_t place, const char *const *text)
{
	if (finding_line_is_due(rule, place) && said_claim(said_key(rule, place)))
		finding_line(rule, text);
}
