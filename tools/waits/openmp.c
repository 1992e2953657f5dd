/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in libgomp for other threads of a team: at a barrier, a critical section, a lock of OpenMP, or the end of a region.
 * Its futexes look like any other's; what the program called says which it is. Only main threads are asked: a team's other
 * threads stand in the same futexes while they have nothing to do. Neighbours: waits_look.h; outside.h knows the waits for a whole region.
 */
#include <string.h>

#include "../facts/processes.h"
#include "../job/patience.h"
#include "../symbolizer/origin.h"
#include "native.h"
#include "openmp.h"
#include "outside.h"
#include "waits_look.h"

#define FRAMES 16u /* of libgomp, and the one that called it */

static bool fits(const char *function, enum openmp_wait wait)
{
	static const char *const others[] = {
		"GOMP_barrier",	      "GOMP_critical_start", "GOMP_critical_name_start",
		"GOMP_ordered_start", "omp_set_lock",	     "omp_set_nest_lock"};

	if (wait == OPENMP_REGION)
		return strstr(function, "GOMP_parallel");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(function, others[i]))
			return true;
	return false;
}

static bool is_of(const struct symbol *symbol, const char *library)
{
	return symbol->module && !strncmp(path_base(symbol->module), library, strlen(library));
}

/* Whether the program called libgomp for that, or a hook: what returns to `back` may have jumped on. */
static bool calls(struct native *native, const struct modules *modules, uint32_t pid, uint64_t back,
		  enum openmp_wait wait)
{
	struct symbol symbol = {0};
	uint64_t function = native_called(pid, back);

	return function && native_name(native, modules, function, false, &symbol) &&
	       (is_of(&symbol, "libgomp") || is_of(&symbol, "libmpsan")) && symbol.function &&
	       fits(symbol.function, wait);
}

uint64_t openmp_called(struct native *native, const struct snapshot_thread *thread,
		       enum openmp_wait wait)
{
	const struct modules *modules;
	uint64_t pcs[FRAMES];
	size_t count = native_stack(native, thread, pcs, NULL, FRAMES, &modules);

	for (size_t i = 0; i < count; i++) {
		struct symbol symbol = {0};

		if (!native_name(native, modules, pcs[i], i > 0, &symbol) || !symbol.module)
			return 0;
		if (is_of(&symbol, "libgomp") || origin_is_plumbing(symbol.module))
			continue;
		return i && calls(native, modules, thread->pid, pcs[i], wait) ? pcs[i] : 0;
	}
	return 0;
}

/* A region of a forked worker may wait for threads that were not copied: forked_waits.c looks for these. */
static void learn(const struct look *look, struct snapshot_once *once)
{
	const struct snapshot_thread *thread = look->thread;
	const char *library = outside_pool(thread->pid, thread->call.pc);

	once->team_asked = true;
	if (!library || strcmp(library, "libgomp") != 0)
		return;
	once->team = openmp_called(look->waits->native, thread, OPENMP_OTHERS);
	if (!once->team && !process_is_worker(&look->snapshot->reader->facts, thread->slot))
		once->team = openmp_called(look->waits->native, thread, OPENMP_REGION);
}

bool classify_openmp(struct look *look)
{
	struct snapshot_thread *thread = look->thread;
	struct snapshot_once *once = &thread->once;

	if (thread->tid != thread->pid ||
	    (look->snapshot->now_ns - thread->still_ns < PATIENCE_NS(OWNER) &&
	     !look_is_verdict(look)))
		return false;
	if (!once->team_asked)
		learn(look, once);
	if (!once->team)
		return false;
	look->wait->kind = MPSAN_WAIT_POOL;
	look->wait->lock = thread->call.arg[0];
	look->wait->caller = once->team;
	look_add_process(look, thread->process);
	return true;
}
