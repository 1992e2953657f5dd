/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbolizer's process: answers questions until nobody asks any more. What it reads was written by strangers, so it runs
 * in a sandbox, and its parent (symbolizer.h) expects it to hang, to crash and to lie.
 */
#pragma once

#include <stdint.h>

/* Each question and answer is a message behind its length in bytes. */
enum question {
	ASK_NAMES, /* depth, lines, module, ahead: see names.h */
	ASK_UNWIND, /* list, how many modules, each with its depth; stack; max; signals: see unwind.h */
	ASK_PYTHON, /* path: see python_symbols.h */
};

/* An unwinding question repeats no list that the process has already. */
#define SERVE_SAME_LIST UINT64_MAX

/*
 * Serves on SANDBOX_FD. `module`, in memory that the parent sees, is the one of an unwinding question's list that is being
 * read, counted from 1.
 */
_Noreturn void serve(volatile uint32_t *module);
