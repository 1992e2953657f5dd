/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in pthread_once and call_once for the thread that runs the initialiser. The flag says only that one does;
 * which one, its stack says: there is a call of pthread_once beyond the initialiser's frames, and the C library keeps
 * the flag's address beside it. Neighbour: waits_look.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "../../include/mpsan_log.h"
#include "../proc/stacks/stack_copy.h"
#include "../symbolizer/origin.h"
#include "native.h"
#include "waits_look.h"

/* The flag of glibc: bit 0 is set while the initialiser runs, bit 1 when it is done; the rest counts forks. */
#define ONCE_STATE 3u
#define ONCE_RUNS 1u
#define FRAMES 64u
#define MOST_THREADS 64u /* of a process, whose stacks are searched */

enum answer { IS_NOT, IS_SO, IS_UNKNOWN };

static bool is_once(const struct symbol *symbol)
{
	const char *name = symbol->function ? symbol->function : "";

	name += strspn(name, "_");
	return !strncmp(name, "pthread_once", 12) ||
	       (!strcmp(name, "call_once") && symbol->module && origin_is_plumbing(symbol->module));
}

/* Whether the call that returns to `back` is one of pthread_once, which jumps on and leaves no frame of its own. */
static bool calls_once(struct native *native, const struct modules *modules, uint32_t pid,
		       uint64_t back)
{
	uint64_t function = native_called(pid, back);
	struct symbol symbol = {0};

	return function && native_name(native, modules, function, false, &symbol) &&
	       is_once(&symbol);
}

struct stack {
	const struct modules *modules;
	size_t count;
	uint64_t pcs[FRAMES];
};

static void unwind(struct look *look, const struct snapshot_thread *thread, struct stack *stack)
{
	stack->count = native_stack(look->waits->native, thread, stack->pcs, NULL, FRAMES,
				    &stack->modules);
}

/* The frame that called pthread_once, from this one outwards; the number of frames: none did. */
static size_t find_call(struct look *look, uint32_t pid, const struct stack *stack, size_t from)
{
	for (size_t i = from; i < stack->count; i++) {
		struct symbol symbol = {0};

		if (calls_once(look->waits->native, stack->modules, pid, stack->pcs[i]))
			return i;
		if (native_name(look->waits->native, stack->modules, stack->pcs[i], i > 0,
				&symbol) &&
		    is_once(&symbol) && i + 1 < stack->count)
			return i + 1;
	}
	return stack->count;
}

/* How many frames at the inner end are of the C library, which was called by the next one. */
static size_t library_frames(struct look *look, const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++) {
		struct symbol symbol = {0};

		if (!native_name(look->waits->native, stack->modules, stack->pcs[i], i > 0,
				 &symbol) ||
		    !symbol.module || (!origin_is_plumbing(symbol.module) && !is_once(&symbol)))
			return i;
	}
	return stack->count;
}

/* ---- who runs the initialiser ---- */

/* Whether the word is on the thread's stack. */
static enum answer has_on_stack(const struct snapshot_thread *thread, uint64_t word)
{
	AUTO_FREE struct mpsan_stack *stack =
		thread->call.state == PROC_IN_CALL ?
			stack_copy(thread->pid, thread->tid, &thread->call, false) :
			NULL;
	const uint64_t *words = (const uint64_t *)(stack + 1);
	enum answer answer = !stack || stack->bytes >= MPSAN_STACK_BYTES ? IS_UNKNOWN : IS_NOT;

	for (uint64_t i = 0; stack && i < stack->bytes / sizeof(*words); i++)
		if (words[i] == word)
			answer = IS_SO;
	return answer;
}

/* Whether the thread runs an initialiser, as far as it is known: this flag's, if its address is there. */
static enum answer runs_initialiser(struct look *look, const struct snapshot_thread *thread,
				    uint64_t word)
{
	enum answer has = has_on_stack(thread, word);
	struct stack stack;
	size_t at;

	if (has != IS_SO)
		return has;
	unwind(look, thread, &stack);
	at = find_call(look, thread->pid, &stack, 0);
	if (at < stack.count && at <= library_frames(look, &stack)) /* there it waits itself */
		at = find_call(look, thread->pid, &stack, at + 1);
	return at < stack.count ? IS_SO : IS_UNKNOWN;
}

static bool waits_there(const struct snapshot_thread *thread, uint64_t word)
{
	return thread->call.state == PROC_IN_CALL && thread->call.number == SYS_futex &&
	       thread->call.arg[0] == word;
}

/*
 * Of the threads that wait for the flag themselves, or of all others: the TID of the only one that runs the initialiser.
 * IS_NOT: none has the flag's address.
 */
static enum answer find_among(struct look *look, uint64_t word, bool waiting, uint32_t *found)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];
	enum answer all = IS_NOT;

	for (uint32_t i = process->begin; i < process->end; i++) {
		const struct snapshot_thread *thread = &look->snapshot->threads.item[i];
		enum answer runs = waits_there(thread, word) == waiting ?
					   runs_initialiser(look, thread, word) :
					   IS_NOT;

		if (runs == IS_NOT || (runs == IS_UNKNOWN && waiting))
			continue;
		if (runs == IS_UNKNOWN || all == IS_SO)
			return IS_UNKNOWN;
		all = IS_SO;
		*found = thread->own_tid;
	}
	return all;
}

/* One that needs the flag in its own initialiser waits for itself. 0: unknown. */
static uint32_t find_runner(struct look *look, uint64_t word)
{
	const struct snapshot_process *process =
		&look->snapshot->processes.item[look->thread->process];
	enum answer answer = IS_UNKNOWN;
	uint32_t found = 0;

	if (process->end - process->begin <= MOST_THREADS)
		answer = find_among(look, word, false, &found);
	if (answer == IS_NOT)
		answer = find_among(look, word, true, &found);
	return answer == IS_SO ? found : 0;
}

/* ---- the wait ---- */

/* The flag's word did not change, so the initialiser runs still. */
static bool is_running(const struct look *look)
{
	const struct proc_call *call = &look->thread->call;
	uint32_t word;

	return ((uint32_t)call->arg[2] & ONCE_STATE) == ONCE_RUNS && !call->arg[3] &&
	       proc_peek(look->thread->pid, call->arg[0], &word, sizeof(word)) &&
	       word == (uint32_t)call->arg[2];
}

static void learn(struct look *look)
{
	struct snapshot_once *once = &look->thread->once;
	struct stack stack;
	size_t at;

	if (!once->asked_ns) {
		unwind(look, look->thread, &stack);
		at = find_call(look, look->thread->pid, &stack, 0);
		once->is = at < stack.count && at <= library_frames(look, &stack);
		once->caller = once->is ? stack.pcs[at] : 0;
	}
	once->asked_ns = look->snapshot->now_ns;
	if (once->is && !once->runner)
		once->runner = find_runner(look, look->thread->call.arg[0]);
}

/* Who runs it has not finished as long as the waiter stands: what was found once stays. */
static bool owner_is_cached(const struct look *look)
{
	const struct snapshot_once *once = &look->thread->once;

	return once->asked_ns && (!once->is || once->runner ||
				  look->snapshot->now_ns - once->asked_ns < LOOK_AGAIN_NS);
}

bool classify_once(struct look *look)
{
	const struct snapshot_once *once = &look->thread->once;
	uint32_t runner;

	if (!is_running(look))
		return false;
	if (!owner_is_cached(look))
		learn(look);
	if (!once->is)
		return false;
	look->wait->kind = MPSAN_LOCK_ONCE;
	look->wait->lock = look->thread->call.arg[0];
	look->wait->caller = once->caller;
	runner = once->runner ? snapshot_find(look->snapshot, look->thread->slot, once->runner) :
				SNAPSHOT_NONE;
	if (runner == SNAPSHOT_NONE)
		look_add_process(look, look->thread->process);
	else
		look_add_owner(look, runner);
	return true;
}
