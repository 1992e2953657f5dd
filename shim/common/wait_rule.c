/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the rule that reports a wait, in order of how much the rule explains. */
#include "wait_rule.h"

#include <stddef.h>

#include "../../include/mpsan_event.h"

#define SLUG_BYTES 32 /* no pointers, which would cost the library relocations */

static enum rule_id rule_of_orphan(uint64_t kind)
{
	if (kind == MPSAN_LOCK_LIBC)
		return RULE_fork_libc_lock;
	if (kind == MPSAN_LOCK_GUARD)
		return RULE_fork_static_init;
	return kind <= MPSAN_LOCK_CUSTOM || kind == MPSAN_LOCK_PYTHON ? RULE_fork_orphaned_lock :
									RULE_COUNT;
}

static enum rule_id rule_of_reason(const struct wait_case *wait)
{
	switch (wait->reason) {
	case MPSAN_WAIT_ORPHAN:
		return rule_of_orphan(wait->kind);
	case MPSAN_WAIT_OWN:
		return RULE_fork_own_lock;
	case MPSAN_WAIT_SELF:
		return RULE_self_deadlock;
	case MPSAN_WAIT_ALONE:
		return wait->in_pool ? RULE_fork_thread_pool : RULE_fork_lost_wakeup;
	case MPSAN_WAIT_TEAM:
		return RULE_fork_thread_pool;
	case MPSAN_WAIT_INSIDE:
		return RULE_fork_libc_lock;
	default:
		return RULE_COUNT;
	}
}

enum rule_id wait_rule(const struct wait_case *wait)
{
	if (wait->flags & MPSAN_LF_SHARED ||
	    (wait->flags & MPSAN_LF_TIMED && wait->reason != MPSAN_WAIT_ORPHAN))
		return RULE_COUNT;
	if (wait->flags & MPSAN_LF_HANDLER || (wait->reason == MPSAN_WAIT_SELF && wait->was_left))
		return RULE_fork_handler_deadlock;
	if (wait->preexec)
		return RULE_fork_preexec_fn;
	if (wait->kind == MPSAN_LOCK_IMPORT)
		return RULE_fork_during_import;
	return rule_of_reason(wait);
}

const char *wait_rule_slug(enum rule_id rule)
{
	static const char slug[RULE_COUNT + 1][SLUG_BYTES] = {
#define RULE(id, slug, ...) slug,
#include "../../include/mpsan_rules.def"
#undef RULE
	};

	return slug[rule < RULE_COUNT ? rule : RULE_COUNT];
}

static bool begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

bool wait_is_library(const char *path)
{
	static const char common[][12] = {"libc.",  "libc-",	 "libpthread", "libstdc++",
					  "libc++", "libpython", "ld-linux",   "libmpsan"};
	const char *base = path;
	bool shared = false;

	for (const char *c = path; *c; c++)
		base = *c == '/' ? c + 1 : base;
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (begins(base, common[i]))
			return false;
	for (const char *c = base; *c && !shared; c++)
		shared = begins(c, ".so");
	return shared;
}
