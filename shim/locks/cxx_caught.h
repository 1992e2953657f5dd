/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions of C++ that the calling thread has caught and not done with: its runtime's list, of which common/cxx_exception.h reads
 * the entries.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../common/cxx_exception.h"
#include "../intercept/elf.h"

struct cxx_runtime {
	uint64_t *(*list)(void);
	const struct link_map *in;
	struct elf_object object;
};

/* Finds the runtime that code at an address uses; false: none is loaded, or it is linked statically. */
bool cxx_runtime_find(uint64_t caller, struct cxx_runtime *runtime);

/*
 * The newest of them; false: none. The list exists once the thread has thrown something, and for each that it ends; asked
 * earlier, the runtime might allocate it: ask only where a frame of the runtime is on the stack, or the thread goes no further.
 */
bool cxx_caught(const struct cxx_runtime *runtime, struct cxx_exception *exception);

/* As stack_raised, for a thread that goes no further. */
uint64_t cxx_caught_raised(uint64_t caller);
