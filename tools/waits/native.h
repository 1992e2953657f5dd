/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native stacks of a snapshot's threads, and the calls in them, read from outside. Neighbours:
 * ../symbolizer/symbolizer.h and ../symbols/symbols.h do the work, pythreads.h has the frames of Python.
 */
#pragma once

#include "../symbols/symbols.h"
#include "snapshot.h"

struct native;

struct native *native_create(const struct reader *reader);
void native_destroy(struct native *native);

/*
 * The return addresses of a thread that is in a system call, innermost first, at most `most`. Returns how
 * many; `modules` is for the names of these, `signals` as in unwind_stack.
 */
size_t native_stack(struct native *native, const struct snapshot_thread *thread, uint64_t *pcs,
		    uint8_t *signals, size_t most, const struct modules **modules);

/* As symbols_name. */
bool native_name(struct native *native, const struct modules *modules, uint64_t pc,
		 bool is_return_address, struct symbol *out);

/*
 * The function from which a thread would return to `back`, also through a stub of the procedure linkage table.
 * 0: unknown: a call through a register, say. A function that jumps on leaves no frame, but this names it.
 */
uint64_t native_called(uint32_t pid, uint64_t back);

/* The mutex that a thread handed to pthread_cond_wait together with that condition; 0: unknown. */
uint64_t native_cond_mutex(const struct snapshot_thread *thread, uint64_t cond);

/* Whether a frame of a thread is one of that function, by its name. */
bool native_is_in(struct native *native, const struct snapshot_thread *thread,
		  const char *function);
/*
 * Whether it runs what the program has to do at its end, in exit(): of a program without an interpreter, and with few
 * threads beside the main thread.
 */
bool native_exits(struct native *native, const struct snapshot *snapshot,
		  const struct snapshot_thread *thread);
/*
 * Whether it waits, for what only its own process could end, in the handler of a signal: of a program with one thread, and
 * without an interpreter.
 */
bool native_waits_in_handler(struct native *native, const struct snapshot *snapshot,
			     const struct snapshot_thread *thread);
