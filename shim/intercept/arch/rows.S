/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of hooks.def, for each processor, which defines STUB and LAZY.
 *
 * PASSED: save the argument registers, ask pass_NAME where to jump, restore, tail-jump (or return the
 * result that it set). Vector registers are not saved: no passed function takes one.
 * CUDA_…: like PASSED, but all rows of a kind ask one function, which gets the row's number.
 * Every row: lazy_NAME, the initial content of its entry in hook_real: resolve it, then jump to the real one.
 */

	.macro STUB_OBSERVED name, index
	.endm

	.macro STUB_PASSED name, index
	STUB \name, pass_\name, \index
	.endm

	.macro STUB_CUDA_USE name, index
	STUB \name, cuda_pass_use, \index
	.endm

	.macro STUB_CUDA_WORK name, index
	STUB \name, cuda_pass_work, \index
	.endm

	.macro STUB_CUDA_SYNC name, index
	STUB \name, cuda_pass_sync, \index
	.endm

	.macro STUB_CUDA_END name, index
	STUB \name, cuda_pass_end, \index
	.endm

	.macro STUB_CUDA_QUERY name, index
	STUB \name, cuda_pass_query, \index
	.endm

	.set index, 0
	.macro NEXT kind, name
	\kind \name, %index
	.set index, index + 1
	.endm
	.altmacro
#define HOOK(library, name, kind) NEXT STUB_##kind, name
#include "../../hooks.def"
#undef HOOK

	.set index, 0
#define HOOK(library, name, kind) NEXT LAZY, name
#include "../../hooks.def"
#undef HOOK

/* Offsets of the library's exports from here, for hook_export. */
	.section .rodata, "a", %progbits
	.balign 4
	.globl hook_exports
	.hidden hook_exports
	.type hook_exports, %object
hook_exports:
#define HOOK(library, name, kind) .long name - hook_exports
#include "../../hooks.def"
#undef HOOK
	.size hook_exports, . - hook_exports
	.text
