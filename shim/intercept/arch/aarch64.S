/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubs for aarch64; rows.S says what they do, and has one of each for every row. x16 and x17 belong to
 * whatever stands between a caller and its callee, as these do.
 */

	.text

/* A frame record, as compilers make it; then struct pass_regs: 88 bytes that end where the arguments on the stack begin */
	.macro SAVE_ARGUMENTS
	stp x29, x30, [sp, #-112]!
	.cfi_def_cfa_offset 112
	.cfi_offset x29, -112
	.cfi_offset x30, -104
	mov x29, sp
	str x0, [sp, #24]
	stp x0, x1, [sp, #32]
	stp x2, x3, [sp, #48]
	stp x4, x5, [sp, #64]
	stp x6, x7, [sp, #80]
	stp x8, x30, [sp, #96]
	.endm

	.macro DROP_FRAME
	ldp x29, x30, [sp], #112
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	.endm

	.macro RESTORE_ARGUMENTS
	ldp x0, x1, [sp, #32]
	ldp x2, x3, [sp, #48]
	ldp x4, x5, [sp, #64]
	ldp x6, x7, [sp, #80]
	ldr x8, [sp, #96]
	DROP_FRAME
	.endm

	.macro STUB name, asked, index
	.globl \name
	.type \name, %function
\name:
	.cfi_startproc
	SAVE_ARGUMENTS
	add x0, sp, #24
	mov w1, #\index
	bl \asked
	cbz x0, 1f
	mov x16, x0
	.cfi_remember_state
	RESTORE_ARGUMENTS
	br x16
1:	.cfi_restore_state
	ldr x0, [sp, #24]
	DROP_FRAME
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	.macro LAZY name, index
	.type lazy_\name, %function
	.globl lazy_\name
	.hidden lazy_\name
lazy_\name:
	mov w17, #\index
	b lazy_common
	.endm

	.type lazy_common, %function
lazy_common:
	.cfi_startproc
	SAVE_ARGUMENTS
	mov w0, w17
	bl hook_resolve
	mov x16, x0
	RESTORE_ARGUMENTS
	br x16
	.cfi_endproc

/* Replaces a function that this system does not have: returns ENOSYS, as an error number. */
	.globl hook_absent
	.hidden hook_absent
	.type hook_absent, %function
hook_absent:
	mov w0, #38
	ret

#include "rows.S"

/* The thread's start routine: jumps to the program's own, so that no frame of the library is below it. */
	.globl arch_thread_start
	.hidden arch_thread_start
	.type arch_thread_start, %function
arch_thread_start:
	.cfi_startproc
	sub sp, sp, #32
	.cfi_def_cfa_offset 32
	str x30, [sp, #24]
	.cfi_offset x30, -8
	mov x1, sp
	bl thread_begin
	mov x16, x0
	ldr x0, [sp]
	ldr x30, [sp, #24]
	.cfi_restore x30
	add sp, sp, #32
	.cfi_def_cfa_offset 0
	br x16
	.cfi_endproc

/* The return address of the library's signal handler; debuggers recognise exactly these words. */
	.globl arch_signal_return
	.hidden arch_signal_return
	.type arch_signal_return, %function
	nop
arch_signal_return:
	mov x8, #139
	svc #0

	.section .note.GNU-stack, "", %progbits
