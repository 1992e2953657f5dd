/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of libgomp's parallel regions. libgomp keeps a pool per thread that opens regions. A fork
 * copies the bookkeeping of that pool and none of its threads; if the child's main thread opens
 * another region, it waits for them forever. That is recorded before it blocks. Other runtimes that
 * export the same names repair themselves and are not touched.
 *
 * These stubs jump on, except in that case: no frame of the library is below a region.
 */
#include <limits.h>
#include <link.h>

#include "../intercept/elf.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../locks/claim.h"
#include "../locks/wait_proof.h"
#include "../record/log.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../record/thread.h"

void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel_start(void (*region)(void *), void *data, unsigned threads);
int omp_pause_resource(int kind, int device);
int omp_pause_resource_all(int kind);

typedef int asked(void);

/* Asks the runtime; `otherwise` if it has no such function. */
static int openmp_ask(const struct link_map *runtime, const char *name, int otherwise)
{
	asked *f = (asked *)elf_find_in(runtime, name, NULL);

	return f ? f() : otherwise;
}

static bool is_libgomp(const struct link_map *runtime)
{
	return text_starts(elf_soname(runtime), "libgomp");
}

/*
 * How many threads this region gets from the pool; 1: none. Nested regions have threads of their
 * own. With dynamic teams or a thread limit the number is unknown: none.
 */
static int team_of(const struct link_map *runtime, unsigned threads)
{
	if (threads == 1 || !is_libgomp(runtime) || openmp_ask(runtime, "omp_get_level", 1) ||
	    openmp_ask(runtime, "omp_get_dynamic", 1) ||
	    openmp_ask(runtime, "omp_get_thread_limit", 1) != INT_MAX ||
	    openmp_ask(runtime, "omp_get_max_active_levels", 0) < 1)
		return 1;
	return threads ? (int)threads : openmp_ask(runtime, "omp_get_max_threads", 1);
}

static bool has_record(void)
{
	struct mpsan_thread *t = thread_hot ? thread_hot : thread_attach();

	return life.attached && !hook_off && t && t != &thread_none;
}

/* Records the first use of a pool by this thread, for the report about a child. */
static void note_first_use(const struct link_map *runtime, int team, uint64_t caller)
{
	uint64_t base = runtime->l_addr, held;
	struct mpsan_thread *t;

	GUARDED {
		EMIT(lock_name, .lock = base, .name = log_text(elf_soname(runtime)));
		held = EMIT(held, .lock = base, .kind = MPSAN_WAIT_POOL, .flags = MPSAN_LF_VERIFIED,
			    .holder = thread_hot->tid, .caller = caller, .stack = stack_own(),
			    .python = stack_python(0), .thread_name = thread_hot->name_pos);
		t = thread_hot; /* the first record of a process moves its threads' records */
		t->pool_held = held;
		t->pool_caller = caller;
		t->pool_team = (uint64_t)team;
		t->pool_slot = life.slot + 1;
		t->pool = base;
	}
}

/* Records the wait for a region in the child of a thread that had a pool. */
static uint64_t state_team_wait(const struct mpsan_thread *t, uint64_t caller)
{
	struct claim pool = {.tag = MPSAN_TAG(t->pool, MPSAN_WAIT_POOL),
			     .held = t->pool_held,
			     .held_slot = (uint32_t)t->pool_slot - 1,
			     .flags = MPSAN_LF_VERIFIED};

	return prove_state(claim_lock(&pool), MPSAN_WAIT_POOL, MPSAN_WAIT_TEAM, &pool, caller);
}

/* The call returned: this process has a pool of its own now. */
static void end_team_wait(uint64_t wait)
{
	prove_end(wait, 0);
	thread_hot->pool = 0;
}

typedef uint64_t eight(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
		       uint64_t);

static NOINLINE void *enter_unknown(struct pass_regs *regs, const struct link_map *runtime,
				    void *real)
{
	const uint64_t *a = regs->arg;
	int team = has_record() ? team_of(runtime, (unsigned)a[2]) : 1;
	uint64_t wait;

	if (team <= 1)
		return real;
	if (thread_hot->pool != runtime->l_addr || thread_hot->pool_slot == life.slot + 1) {
		note_first_use(runtime, team, regs->back);
		return real;
	}
	wait = state_team_wait(thread_hot, regs->back);
	regs->result = ((eight *)real)(a[0], a[1], a[2], a[3], a[4], a[5], pass_arg(regs, 6),
				       pass_arg(regs, 7));
	end_team_wait(wait);
	return NULL;
}

static void *enter_region(struct pass_regs *regs, enum hook_id id)
{
	const struct mpsan_thread *t = thread_hot;
	const struct link_map *runtime = NULL;
	void *real = hook_real_of(id, regs->back, &runtime);

	if (UNLIKELY(!real)) {
		regs->result = 0;
		return NULL;
	}
	if ((unsigned)regs->arg[2] == 1 ||
	    (t && t->pool == runtime->l_addr && t->pool_slot == life.slot + 1))
		return real;
	return enter_unknown(regs, runtime, real);
}

/* The third argument of each is the number of threads; 0: as many as possible. */
#define REGION(name)                                    \
	PASS(name)                                      \
	{                                               \
		ENTER(name);                            \
		return enter_region(regs, HOOK_##name); \
	}
REGION(GOMP_parallel)
REGION(GOMP_parallel_start)
REGION(GOMP_parallel_reductions)
REGION(GOMP_parallel_sections)
REGION(GOMP_parallel_sections_start)
REGION(GOMP_parallel_loop_static)
REGION(GOMP_parallel_loop_static_start)
REGION(GOMP_parallel_loop_dynamic)
REGION(GOMP_parallel_loop_dynamic_start)
REGION(GOMP_parallel_loop_guided)
REGION(GOMP_parallel_loop_guided_start)
REGION(GOMP_parallel_loop_runtime)
REGION(GOMP_parallel_loop_runtime_start)
REGION(GOMP_parallel_loop_nonmonotonic_dynamic)
REGION(GOMP_parallel_loop_nonmonotonic_guided)
REGION(GOMP_parallel_loop_nonmonotonic_runtime)
REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* Ends the threads of the calling thread's pool, and so waits for them in a child. */
#define PAUSE(name, parameters, arguments)                                                \
	EXPORT int name parameters                                                        \
	{                                                                                 \
		ENTER(name);                                                              \
		const struct link_map *runtime = NULL;                                    \
		__typeof__(&name) real =                                                  \
			(__typeof__(&name))hook_real_of(HOOK_##name, CALLER, &runtime);   \
		bool known = has_record() && real && thread_hot->pool == runtime->l_addr, \
		     left = known && thread_hot->pool_slot != life.slot + 1;              \
		uint64_t wait = left ? state_team_wait(thread_hot, CALLER) : 0;           \
		int result = real ? real arguments : -1;                                  \
                                                                                          \
		if (left)                                                                 \
			end_team_wait(wait);                                              \
		else if (known && result == 0)                                            \
			thread_hot->pool = 0;                                             \
		return result;                                                            \
	}
PAUSE(omp_pause_resource, (int kind, int device), (kind, device))
PAUSE(omp_pause_resource_all, (int kind), (kind))
