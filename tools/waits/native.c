/* SPDX-License-Identifier: Apache-2.0 */
/* Copies stacks, and unwinds them with the mappings as they are now. */
#include "native.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "../../include/mpsan_log.h"
#include "../proc/stacks/stack_copy.h"
#include "../symbolizer/symbolizer.h"
#include "../symbolizer/unwind/machine_code.h"

#define MOST_UNWOUND 64u /* threads of a process, beside its main thread */
#define FRAMES 256u

struct native {
	struct maps *maps;
	struct symbols *symbols;
};

struct native *native_create(const struct reader *reader)
{
	struct native *native = memory_get(sizeof(*native));

	*native = (struct native){.maps = maps_create(reader), .symbols = symbols_create()};
	return native;
}

void native_destroy(struct native *native)
{
	if (!native)
		return;
	symbols_destroy(native->symbols);
	maps_destroy(native->maps);
	free(native);
}

static bool is_same_function(const struct symbol *one, const struct symbol *other)
{
	return !strcmp(one->function, other->function) && !strcmp(one->module, other->module);
}

/*
 * Where a function's return address is in a register alone, unwinding passes over its caller (unwind.c). The call
 * that returns to the next one tells which function that is, also through a stub.
 */
static size_t put_back(struct native *native, const struct modules *modules, uint32_t pid,
		       uint64_t *pcs, uint8_t *signals, size_t count, size_t most)
{
	uint64_t called = CODE_LINK && count > 1 && count < most ? native_called(pid, pcs[1]) : 0;
	struct symbol here = {0}, there = {0};

	if (!called || !native_name(native, modules, pcs[0], false, &here) ||
	    !native_name(native, modules, called, false, &there) || !here.function ||
	    !there.function || is_same_function(&here, &there))
		return count;
	memmove(pcs + 2, pcs + 1, (count - 1) * sizeof(*pcs));
	pcs[1] = called + 1; /* as if it returned there */
	if (signals) {
		memmove(signals + 2, signals + 1, count - 1);
		signals[1] = 0;
	}
	return count + 1;
}

size_t native_stack(struct native *native, const struct snapshot_thread *thread, uint64_t *pcs,
		    uint8_t *signals, size_t most, const struct modules **modules)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	AUTO_FREE struct mpsan_stack *head =
		stack_copy(thread->pid, thread->tid, &thread->call, false);
	size_t count = 0;

	*modules = maps_at(native->maps, thread->slot, now_ns);
	if (!modules_find(*modules, thread->call.pc)) {
		maps_learn(native->maps, thread->slot, thread->pid, now_ns);
		*modules = maps_at(native->maps, thread->slot, now_ns);
	}
	if (head)
		count = symbolizer_unwind(*modules, head, (const uint8_t *)(head + 1), pcs, signals,
					  most);
	return put_back(native, *modules, thread->pid, pcs, signals, count, most);
}

bool native_name(struct native *native, const struct modules *modules, uint64_t pc,
		 bool is_return_address, struct symbol *out)
{
	return symbols_name(native->symbols, modules, pc, is_return_address, out);
}

/* ---- calls ---- */

static uint64_t in_cell(uint32_t pid, uint64_t cell)
{
	uint64_t function;

	return cell && proc_peek(pid, cell, &function, sizeof(function)) ? function : 0;
}

/* Where a stub jumps to; any other function itself. */
static uint64_t past_stub(uint32_t pid, uint64_t function)
{
	uint8_t code[CODE_JUMP_BYTES];

	if (!proc_peek(pid, function, code, sizeof(code)))
		return 0;
	return code_is_stub(code) ? in_cell(pid, code_jump_cell(code, function)) : function;
}

uint64_t native_called(uint32_t pid, uint64_t back)
{
	uint8_t code[CODE_CALL_BYTES];
	int64_t distance;

	if (!proc_peek(pid, back - sizeof(code), code, sizeof(code)))
		return 0;
	if (code_call_cell(code, back))
		return in_cell(pid, code_call_cell(code, back));
	return code_call_that_ends(code, &distance) == CODE_CALL_DIRECT ?
		       past_stub(pid, back + (uint64_t)distance) :
		       0;
}

bool native_is_in(struct native *native, const struct snapshot_thread *thread, const char *function)
{
	const struct modules *modules;
	uint64_t pcs[FRAMES];
	size_t count = native_stack(native, thread, pcs, NULL, FRAMES, &modules);

	for (size_t i = 0; i < count; i++) {
		struct symbol symbol = {0};

		if (native_name(native, modules, pcs[i], i > 0, &symbol) && symbol.function &&
		    !strcmp(symbol.function, function))
			return true;
	}
	return false;
}

bool native_exits(struct native *native, const struct snapshot *snapshot,
		  const struct snapshot_thread *thread)
{
	const struct snapshot_process *process = &snapshot->processes.item[thread->process];

	if (snapshot_wanted(thread).tag & MPSAN_TAG_EXIT)
		return true;
	return (thread->tid == thread->pid || process->end - process->begin <= MOST_UNWOUND) &&
	       !snapshot->reader->session.table[thread->slot].python &&
	       native_is_in(native, thread, "exit");
}

bool native_waits_in_handler(struct native *native, const struct snapshot *snapshot,
			     const struct snapshot_thread *thread)
{
	const struct snapshot_process *process = &snapshot->processes.item[thread->process];
	const struct modules *modules;
	uint8_t signals[FRAMES] = {0};
	uint64_t pcs[FRAMES];
	size_t count = 0;

	if (process->end - process->begin == 1 && thread->call.number == SYS_futex &&
	    thread->call.arg[1] & FUTEX_PRIVATE_FLAG &&
	    !snapshot->reader->session.table[thread->slot].python)
		count = native_stack(native, thread, pcs, signals, FRAMES, &modules);
	for (size_t i = 0; i < count; i++)
		if (signals[i])
			return true;
	return false;
}

/* ---- conditions ---- */

#define MOST_KIND 0x400u /* of a mutex: its type and flags are below */

static bool may_be_mutex(uint32_t pid, uint64_t address)
{
	/* glibc's __lock, __count, __owner, __nusers, which counts those that wait for a condition, and __kind */
	uint32_t word[5];

	return address && !(address % sizeof(*word)) &&
	       proc_peek(pid, address, word, sizeof(word)) && word[3] && word[4] < MOST_KIND;
}

/* The C library keeps the two side by side, for a thread that is cancelled. */
uint64_t native_cond_mutex(const struct snapshot_thread *thread, uint64_t cond)
{
	AUTO_FREE struct mpsan_stack *stack =
		stack_copy(thread->pid, thread->tid, &thread->call, false);
	const uint64_t *words = (const uint64_t *)(stack + 1);
	uint64_t mutex = 0;

	for (uint64_t i = 0; stack && !mutex && i + 1 < stack->bytes / sizeof(*words); i++)
		if (words[i] == cond && words[i + 1] != cond &&
		    may_be_mutex(thread->pid, words[i + 1]))
			mutex = words[i + 1];
	return mutex;
}
