/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the forking thread's claims before, during and after fork, and its Python frames at the
 * call.
 */
#include "fork_context.h"

#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/state.h"
#include "../record/thread.h"
#include "claim.h"
#include "stderr_lines.h"

STATE static const struct fork_context *left_behind; /* in a child: of the fork that created it */
static TLS const struct fork_context *entered;

void fork_context_born(const struct fork_context *fork_context)
{
	left_behind = fork_context;
}

void fork_context_enter(const struct fork_context *fork_context)
{
	entered = fork_context;
}

void fork_context_begin(struct fork_context *fork_context)
{
	const struct mpsan_thread *t = thread_hot;

	*fork_context = (struct fork_context){.hooked = true, .holds = t ? holds_of(t) : 0};
}

static void count_import(uint64_t hash, const char *name, void *count)
{
	(void)hash;
	(void)name;
	++*(uint32_t *)count;
}

uint32_t fork_context_look(struct fork_context *fork_context)
{
	uint32_t imports = 0;

	fork_context->marked = python_mark(&fork_context->mark);
	fork_context->preexec = python_is_preexec();
	python_imports(0, count_import, &imports);
	return (fork_context->preexec ? MPSAN_FORK_PREEXEC : 0) |
	       (imports ? MPSAN_FORK_IMPORTING : 0);
}

/* Whether the lock is held: its memory names this thread as owner, or no owner. */
static bool is_kept(const struct mpsan_hold *hold)
{
	struct claim c = {.tag = hold->tag, .caller = hold->caller, .tid = thread_tid()};
	unsigned kind = MPSAN_TAG_KIND(hold->tag);

	if (hold->tag & MPSAN_TAG_WANTED ||
	    (kind != MPSAN_LOCK_MUTEX && kind != MPSAN_LOCK_RWLOCK_WRITE &&
	     kind != MPSAN_LOCK_SPIN))
		return false;
	claims_verify(&c, 1);
	return c.flags & MPSAN_LF_VERIFIED;
}

void fork_context_end(const struct fork_context *fork_context, uint64_t fork)
{
	const struct mpsan_thread *t = thread_hot;
	uint32_t n = t && t != &thread_none && fork_context->hooked ? holds_of(t) : 0;

	for (uint32_t i = fork_context->holds; i < n; i++)
		if (is_kept(&t->hold[i])) {
			print_left(MPSAN_TAG_ADDRESS(t->hold[i].tag));
			EMIT(left_locked, .fork = fork, .lock = MPSAN_TAG_ADDRESS(t->hold[i].tag),
			     .kind = MPSAN_TAG_KIND(t->hold[i].tag),
			     .flags = MPSAN_LF_VERIFIED | MPSAN_LF_HANDLER,
			     .caller = t->hold[i].caller);
		}
}

/*
 * Whether Python code runs on top of the forking call. A preexec_fn does, too, and is reported as
 * such.
 */
static bool in_callback(const struct fork_context *fork_context)
{
	return fork_context->marked && !fork_context->preexec &&
	       python_above_mark(&fork_context->mark);
}

bool fork_context_in_handler(void)
{
	return (entered && entered->hooked) || (left_behind && in_callback(left_behind));
}

bool fork_context_in_call(void)
{
	return left_behind && left_behind->marked && python_in_mark(&left_behind->mark);
}

/* Names an imported module, once per log: forks may be many. */
void fork_context_name_import(uint64_t hash, const char *name)
{
	uint64_t key = hash ^ (uint64_t)EV_lock_name << 48, at;

	if (!log_open() || log_recall(key))
		return;
	at = EMIT(lock_name, .lock = hash, .name = log_text(name));
	if (at)
		log_remember(key, at);
}
