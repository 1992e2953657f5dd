/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mechanism of interception; the only clever page.
 *
 * A hook is a function with the public name of the function that it intercepts, so the system's own
 * prototype checks its signature. It calls the next definition through REAL(name): a table of
 * pointers, initially to stubs that look up their row when it is first called: most programs call few,
 * and constructors of other libraries, and allocators, do so before the library's own constructor has run.
 *
 * Lock hooks are never guarded: they do one store into the thread's own record. Everything that
 * takes longer runs inside GUARDED, which is false for a thread that is already inside. The guard
 * is the address of the frame that set it: a frame that siglongjmp abandoned lies below the current
 * one, so a stale guard is recognised and ignored. (A plain flag would stay set and leave the
 * thread unwatched, and gcc removes a plain thread-local one as a dead store.)
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch.h"

#define EXPORT __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NOINLINE __attribute__((noinline))
/* On declarations of what hot paths read: without it the compiler looks up the address first. */
#define HIDDEN __attribute__((visibility("hidden")))
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))
/*
 * Data that a fork or its child writes is kept together: each page of it is copied twice, once on
 * either side.
 */
#define STATE __attribute__((section("mpsan_state")))
/*
 * Large tables, most of which most processes never touch: they lie apart, so that what every process
 * writes shares few pages.
 */
#define LARGE __attribute__((section(".bss.large")))
/* A function of a rarely used file that each child runs: it lies with the others (see the Makefile). */
#define FORKED __attribute__((hot))
#define TLS __thread __attribute__((tls_model("initial-exec")))

enum hook_id {
#define HOOK(library, name, kind) HOOK_##name,
#include "../hooks.def"
#undef HOOK
	HOOK_COUNT
};

/*
 * Rows of NCCL and CUDA, which programs look up by name, come last: hooks_nccl.def, then the driver's, then those of
 * the runtime.
 */
#define HOOK_FIRST_BY_NAME HOOK_ncclCommInitRank
#define HOOK_IS_BY_NAME(id) ((id) >= HOOK_FIRST_BY_NAME)
#define HOOK_IS_RUNTIME(id) ((id) >= HOOK_cudaMalloc)
_Static_assert(HOOK_FIRST_BY_NAME < HOOK_cuInit && HOOK_cuInit < HOOK_cudaMalloc, "their order");

/* Rows of libraries that may be loaded later have no entry: their hooks call hook_real_of. */
#define HOOK_FIRST_LATER HOOK___cxa_guard_acquire
extern HIDDEN void *hook_real[HOOK_COUNT];
/* Those that were found, without the lock-order hooks that lock_order.c may have put in between. */
extern void *hook_next[HOOK_FIRST_LATER];

/* The next definition of a hooked function, with its own type. */
#define REAL(name) ((__typeof__(&name))hook_real[HOOK_##name])

/*
 * As REAL, for libraries that may be loaded several times, or later: the definition that the caller
 * would be bound to without this library (scope.h); NULL: there is no other definition.
 */
#define REAL_OF(name, caller) ((__typeof__(&name))hook_real_of(HOOK_##name, caller, NULL))
struct link_map;
void *hook_real_of(enum hook_id id, uint64_t caller, const struct link_map **in);
/* As REAL_OF, for calls that programs make by the million: fast if the call site is known. */
void *hook_real_at(enum hook_id id, uint64_t caller);

/*
 * Records that the caller's object is bound to `real`, found in the same object as what `like` is
 * bound to.
 */
void hook_bind(enum hook_id id, enum hook_id like, uint64_t caller, void *real);

/*
 * The hook to return to `caller`, which asked by name for a function of that row and got `real`;
 * NULL: calls through the hook would not reach `real`. Objects without a reference to the name call
 * it only through such pointers, so the hook then stands for one copy for all of them: the first
 * that was asked for.
 */
void *hook_give(enum hook_id id, uint64_t caller, void *real);

/* Forgets the bindings of callers; call it when an object was unloaded. */
void hook_forget(void);

/*
 * The head of a hook: exported, and counted in the test build that proves that each row intercepts.
 */
#ifdef MPSAN_COUNT_HOOKS
extern EXPORT uint64_t *mpsan_hook_counts;
#define ENTER_ROW(id) \
	(mpsan_hook_counts ? (void)__atomic_fetch_add(&mpsan_hook_counts[id], 1, 5) : (void)0)
#else
#define ENTER_ROW(id) ((void)0)
#endif
#define ENTER(name) ENTER_ROW(HOOK_##name)

/*
 * Finds the next definition of a row below HOOK_FIRST_LATER, and enters it; idempotent, callable at any
 * time after relocation, and from signal handlers. Never NULL: what is not there (yet) returns ENOSYS.
 */
void *hook_resolve(enum hook_id id);
/*
 * Before a fork: what children call first, once, so that each of them need not look it up on pages of its
 * own.
 */
void hook_resolve_for_children(void);
/* At the start: which objects there are, of which none is ever unloaded. */
void hook_start(void);

/* The row of that name; -1: none. Costs a hash and a comparison. */
int hook_find(const char *name);
const char *hook_name(enum hook_id id);
/* A name that no library defines: what is looked up where this library alone has the row's. */
const char *hook_absent_name(enum hook_id id);
/* Whether libc has the function: another library's may be loaded later, or several times. */
bool hook_is_bound(enum hook_id id);
/* The library's own function of that row. */
void *hook_export(enum hook_id id);
/* The hook of a libc function whose next definition is `real`; NULL: `real` is not in the table. */
void *hook_answer(enum hook_id id, const void *real);

/* The definition for the oldest binaries (hooks/sync.c), kept in `known`. */
void *hook_oldest(enum hook_id id, void **known);

/* Registers that a PASSED stub saved, in the order in which the stub pushes them. */
struct pass_regs {
	uint64_t result; /* also al, the number of vector arguments of a variadic call on x86-64 */
	uint64_t arg[ARCH_ARGUMENTS];
	uint64_t other; /* r10 of x86-64, x8 of aarch64 */
	uint64_t back; /* return address: the caller */
	uint64_t stack[]; /* arguments on the stack */
};

static inline uint64_t pass_arg(const struct pass_regs *regs, unsigned n)
{
	return n < ARCH_ARGUMENTS ? regs->arg[n] : regs->stack[n - ARCH_ARGUMENTS];
}

/*
 * What a PASSED hook implements: it returns where to jump, or NULL if regs->result is already the
 * result. The stub restores every register, so the real function sees the call as the program made
 * it.
 */
#define PASS(name)                                 \
	void *pass_##name(struct pass_regs *regs); \
	void *pass_##name(struct pass_regs *regs)

extern TLS volatile uintptr_t hook_guard;

/*
 * `GUARDED { … }` runs its body unless this thread is already inside one; errno is preserved on
 * every way out.
 */
struct inside {
	bool entered;
	int error;
};

/* Called by the next thread that enters a guard, once; NULL: nothing is waited for. */
extern void (*guard_next)(void);
void guard_call_next(void);

static inline struct inside guard_enter(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), guard = hook_guard;
	struct inside in = {.entered = guard == 0 || guard < here, .error = errno};

	if (!in.entered)
		return in;
	hook_guard = here;
	if (UNLIKELY(guard_next != NULL))
		guard_call_next();
	return in;
}

static inline void guard_leave(struct inside *in)
{
	if (!in->entered)
		return;
	in->entered = false;
	hook_guard = 0;
	errno = in->error;
}

#define GUARDED                                                                        \
	for (struct inside in__ __attribute__((cleanup(guard_leave))) = guard_enter(); \
	     in__.entered; guard_leave(&in__))

/* The library switched itself off in this process: every hook passes through. */
extern HIDDEN bool hook_off;
