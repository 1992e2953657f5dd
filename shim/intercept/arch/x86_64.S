/* SPDX-License-Identifier: Apache-2.0 */
/* Stubs for x86-64; rows.S says what they do, and has one of each for every row. */

	.text

/* struct pass_regs, from its end to its beginning; 8 words keep the stack aligned as at entry + 8 */
	.macro SAVE_ARGUMENTS
	pushq %r10
	pushq %r9
	pushq %r8
	pushq %rcx
	pushq %rdx
	pushq %rsi
	pushq %rdi
	pushq %rax
	.cfi_adjust_cfa_offset 64
	.endm

	.macro RESTORE_ARGUMENTS
	popq %rax
	popq %rdi
	popq %rsi
	popq %rdx
	popq %rcx
	popq %r8
	popq %r9
	popq %r10
	.cfi_adjust_cfa_offset -64
	.endm

	.macro STUB name, asked, index
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	SAVE_ARGUMENTS
	movq %rsp, %rdi
	movl $\index, %esi
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call \asked
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	movq %rax, %r11
	RESTORE_ARGUMENTS
	testq %r11, %r11
	jz 1f
	jmp *%r11
1:	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	.macro LAZY name, index
	.type lazy_\name, @function
	.globl lazy_\name
	.hidden lazy_\name
lazy_\name:
	movl $\index, %r11d
	jmp lazy_common
	.endm

	.type lazy_common, @function
lazy_common:
	.cfi_startproc
	SAVE_ARGUMENTS
	movl %r11d, %edi
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	call hook_resolve
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	movq %rax, %r11
	RESTORE_ARGUMENTS
	jmp *%r11
	.cfi_endproc

/* Replaces a function that this system does not have: returns ENOSYS, as an error number. */
	.globl hook_absent
	.hidden hook_absent
	.type hook_absent, @function
hook_absent:
	movl $38, %eax
	ret

#include "rows.S"

/* The thread's start routine: jumps to the program's own, so that no frame of the library is below it. */
	.globl arch_thread_start
	.hidden arch_thread_start
	.type arch_thread_start, @function
arch_thread_start:
	.cfi_startproc
	subq $24, %rsp
	movq %rsp, %rsi
	call thread_begin
	movq (%rsp), %rdi
	addq $24, %rsp
	jmp *%rax
	.cfi_endproc

/* The return address of the library's signal handler; debuggers recognise exactly these bytes. */
	.globl arch_signal_return
	.hidden arch_signal_return
	.type arch_signal_return, @function
	nop
arch_signal_return:
	movq $15, %rax
	syscall

	.section .note.GNU-stack, "", @progbits
