/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks in a forked child whether a thread that was not copied was inside a libc function with the
 * same lock. hooks/libc.c has the functions, fork.c records which threads were in one.
 */
#include "libc_locks.h"

#include "../intercept/sys.h"
#include "../record/log.h"
#include "claim.h"
#include "loader_locks.h"
#include "orphans.h"
#include "wait_proof.h"

#define NAMED 64u

static const struct libc_lock_mark exit_mark = LIBC_LOCK_MARK("exit-handler list", "exit");
STATE static uint64_t exit_wait;

/* Names a mark and its lock in the log. Two threads may both do so, which is harmless. */
void libc_lock_name(const struct libc_lock_mark *mark)
{
	static const struct libc_lock_mark *named[NAMED];
	char text[96], *end = text + sizeof(text), *at;
	uint32_t i = 0;

	while (i < NAMED && named[i] && named[i] != mark)
		i++;
	if (i == NAMED || named[i] == mark)
		return;
	named[i] = mark;
	at = text_put(text, end, mark->lock);
	at = text_put(at, end, ", in ");
	text_put(at, end, mark->function);
	EMIT(lock_name, .lock = (uint64_t)(uintptr_t)mark, .name = log_text(text));
}

/*
 * Whether a claim has the same lock; names are compared as text because marks are in several files.
 */
static bool same_lock(const struct claim *claim, const struct libc_lock_mark *mark)
{
	const struct libc_lock_mark *other = claim_lock(claim);

	return MPSAN_TAG_KIND(claim->tag) == MPSAN_LOCK_LIBC && text_equal(other->lock, mark->lock);
}

static const struct claim *libc_locks_find(const struct libc_lock_mark *mark)
{
	const struct claim *claim;

	for (uint32_t i = 0; (claim = orphan_at(i)); i++)
		if (same_lock(claim, mark))
			return claim;
	return NULL;
}

/*
 * Whether any thread was in such a function at the fork: nearly always none, which one look at the
 * list shows.
 */
static bool any_left(void)
{
	STATE static uint32_t none_in; /* the process that found none */
	const struct claim *claim;

	if (none_in == life.pid)
		return false;
	for (uint32_t i = 0; (claim = orphan_at(i)); i++)
		if (MPSAN_TAG_KIND(claim->tag) == MPSAN_LOCK_LIBC)
			return true;
	none_in = life.pid;
	return false;
}

/*
 * Whether memory proves the wait: only the lock of the loader's list has an owner; for all others
 * only a supervisor can tell.
 */
static bool is_proved(const struct libc_lock_mark *mark, const struct claim *orphan)
{
	return text_equal(mark->lock, LIBC_LOCK_LOADED) &&
	       loader_orphaned(loader_list_lock()) == orphan->tid;
}

uint64_t libc_lock_look(const struct libc_lock_mark *mark, uint64_t caller)
{
	const struct claim *orphan = any_left() ? libc_locks_find(mark) : NULL;

	if (!orphan)
		return 0;
	return prove_state(claim_lock(orphan), MPSAN_LOCK_LIBC,
			   is_proved(mark, orphan) ? MPSAN_WAIT_ORPHAN : MPSAN_WAIT_INSIDE, orphan,
			   caller);
}

void libc_lock_back(const struct libc_lock_mark *mark, uint64_t wait)
{
	const struct claim *claim;

	EMIT(wait_end, .wait = wait);
	for (uint32_t i = 0; (claim = orphan_at(i));) {
		if (same_lock(claim, mark))
			orphan_drop(i);
		else
			i++;
	}
}

void libc_lock_exit(uint64_t caller)
{
	if (life.forked)
		exit_wait = libc_lock_look(&exit_mark, caller);
}

void libc_lock_exited(void)
{
	if (exit_wait && log_head())
		EMIT(wait_end, .wait = exit_wait);
	exit_wait = 0;
}
