/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of dlopen, dlclose, dlsym and dlvsym. dlsym with an explicit handle bypasses a preloaded
 * library: if the handle's own object defines the very function that a hook intercepts, the hook is
 * returned. All other calls, RTLD_NEXT and RTLD_DEFAULT above all, go to the real function by a
 * jump, because it must see its true caller: it determines from the return address which object
 * comes "next", and which RUNPATH and namespace apply. What this library alone defines is looked up
 * there by a name that nobody has.
 */
#include <dlfcn.h>

#include "../cuda/cuda_entry.h"
#include "../intercept/elf.h"
#include "../intercept/hook.h"
#include "../intercept/scope.h"
#include "../intercept/sys.h"
#include "../locks/claim.h"
#include "../locks/loader_locks.h"
#include "../locks/orphans.h"
#include "../locks/wait_proof.h"
#include "../record/callsite_cache.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/state.h"
#include "../record/thread.h"

/*
 * The hook to return for a handle, which in glibc is the object's entry in the loader's list: it is
 * compared with the list before it is followed.
 */
static void *loader_answer(const struct pass_regs *regs, enum hook_id id, const char *version)
{
	const struct link_map *map = (const void *)regs->arg[0];
	void *real;

	if ((void *)map == RTLD_DEFAULT || (void *)map == RTLD_NEXT || !elf_is_loaded(map))
		return NULL;
	real = elf_find_in(map, hook_name(id), version);
	return real ? hook_answer(id, real) : NULL;
}

/*
 * Programs ask in this way whether a library is loaded, or libc new enough: a hook that a search without this library
 * would not find is never the answer.
 */
static void hide_own(struct pass_regs *regs, enum hook_id id)
{
	void *handle = (void *)regs->arg[0], *there;
	const struct link_map *in;
	bool whole = handle == elf_program();

	if (hook_is_bound(id) || (!whole && handle != RTLD_DEFAULT && handle != RTLD_NEXT))
		return;
	if (!scope_has(hook_name(id), whole ? 0 : regs->back, &there, &in))
		regs->arg[1] = (uint64_t)(uintptr_t)hook_absent_name(id);
}

/* Checks what dlsym found: where to jump, or NULL if the answer is in the registers. */
static void *prove_up(struct pass_regs *regs, const char *version, void *real)
{
	const char *name = (const char *)regs->arg[1];
	int id = hook_off || !name ? -1 : hook_find(name);
	void *hook;

	if (id < 0)
		return real;
	if (HOOK_IS_BY_NAME(id))
		return cuda_entry_ask(regs, (enum hook_id)id, real);
	hook = loader_answer(regs, (enum hook_id)id, version);
	if (!hook) {
		hide_own(regs, (enum hook_id)id);
		return real;
	}
	regs->result = (uint64_t)hook;
	return NULL;
}

PASS(dlsym)
{
	ENTER(dlsym);
	return prove_up(regs, NULL, (void *)REAL(dlsym));
}

PASS(dlvsym)
{
	ENTER(dlvsym);
	return prove_up(regs, (const char *)regs->arg[2], (void *)REAL(dlvsym));
}

/*
 * Records what this thread is loading, for forks by other threads. A constructor may call dlopen in
 * turn: the outermost call counts, and is in progress while its return address is in place.
 */
static void note_load(const struct pass_regs *regs)
{
	struct mpsan_thread *t = thread_hot ? thread_hot : thread_attach();
	const char *path = (const char *)regs->arg[0];
	uint64_t here = (uint64_t)(uintptr_t)&regs->back, back = 0;

	if (!t || t == &thread_none || !path)
		return;
	if (t->loading && t->loading_frame > here &&
	    sys_peek(&back, (const void *)t->loading_frame, sizeof(back)) == sizeof(back) &&
	    back == t->loading_back && loader_owner(loader_lock()) == t->tid)
		return;
	here = log_text(path);
	t = thread_hot; /* the first record of a process moves its threads' records */
	t->loading_frame = (uint64_t)(uintptr_t)&regs->back;
	t->loading_back = regs->back;
	t->loading = here;
}

/*
 * Proves a wait for the loader's lock in a child: a raw clone copies the lock as it was, and no
 * call returns.
 */
static void prove_loader(const struct pass_regs *regs)
{
	uint32_t owner = loader_orphaned(loader_lock());
	const struct claim *orphan = orphan_find(loader_lock(), MPSAN_LOCK_IMPORT);
	struct claim unknown = {.tag = MPSAN_TAG(loader_lock(), MPSAN_LOCK_IMPORT),
				.tid = owner,
				.flags = MPSAN_LF_VERIFIED};

	if (owner && owner != life.tid_before)
		prove_state(loader_lock(), MPSAN_LOCK_IMPORT, MPSAN_WAIT_ORPHAN,
			    orphan ? orphan : &unknown, regs->back);
}

static void loader_note(const struct pass_regs *regs)
{
	if (!life.attached || hook_off)
		return;
	if (UNLIKELY(life.forked))
		prove_loader(regs);
	if (!sys_threaded || life_is_guest())
		return;
	GUARDED
		note_load(regs);
}

PASS(dlopen)
{
	ENTER(dlopen);
	loader_note(regs);
	return (void *)REAL(dlopen);
}

/* The namespace is the first argument. */
PASS(dlmopen)
{
	ENTER(dlmopen);
	if (UNLIKELY(life.forked && life.attached && !hook_off))
		prove_loader(regs);
	return (void *)REAL(dlmopen);
}

EXPORT int dlclose(void *handle)
{
	ENTER(dlclose);
	int result = REAL(dlclose)(handle);

	hook_forget();
	modules_unloaded();
	callsite_forget();
	return result;
}
