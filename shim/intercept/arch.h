/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between processors, for the code in C; arch/ has the stubs. Facts: the ABI supplements of
 * System V (x86-64) and Arm (AAPCS64), and the offsets of struct pthread in glibc 2.31 to 2.41.
 */
#pragma once

#include <stdint.h>
#include <ucontext.h>

#include "../../include/mpsan_log.h"

#if defined(__x86_64__)

#define ARCH_ARGUMENTS 6 /* in general registers */
#define ARCH_AUDIT AUDIT_ARCH_X86_64
#define ARCH_OLDEST_VERSION "GLIBC_2.2.5"
#define ARCH_VDSO_CLOCK "__vdso_clock_gettime"
#define ARCH_THREAD_APART 0 /* a pthread_t is the thread pointer */
#define ARCH_TID_AT 0x2d0 /* in struct pthread; used only where it matches the kernel's answer */
#define ARCH_SPIN_FREE 1 /* the value of a pthread_spinlock_t that nobody holds */

static inline long arch_call(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* gcc has the built-in function on x86 from version 11 on. */
static inline uint64_t arch_thread_pointer(void)
{
	uint64_t pointer;

	__asm__("movq %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

static inline void arch_pause(void)
{
	__builtin_ia32_pause();
}

/* Those that a call preserves, and where the caller stands. `regs` has MPSAN_STACK_REGS entries. */
#define ARCH_REGISTERS(regs, valid)                                                               \
	do {                                                                                      \
		__asm__ volatile("movq %%rbx, 24(%0); movq %%rbp, 48(%0); movq %%rsp, 56(%0);"    \
				 "movq %%r12, 96(%0); movq %%r13, 104(%0); movq %%r14, 112(%0);"  \
				 "movq %%r15, 120(%0); leaq 0(%%rip), %%rax; movq %%rax, 128(%0)" \
				 :                                                                \
				 : "r"(regs)                                                      \
				 : "rax", "memory");                                              \
		(valid) = 1 << 3 | 1 << 6 | 1 << 7 | 0xf << 12 | 1 << 16;                         \
	} while (0)

static inline void arch_registers_of(const ucontext_t *context, uint64_t *regs)
{
	static const uint8_t order[MPSAN_STACK_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

	for (unsigned i = 0; i < MPSAN_STACK_REGS; i++)
		regs[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
}

#elif defined(__aarch64__)

#define ARCH_ARGUMENTS 8
#define ARCH_AUDIT AUDIT_ARCH_AARCH64
#define ARCH_OLDEST_VERSION "GLIBC_2.17"
#define ARCH_VDSO_CLOCK "__kernel_clock_gettime"
#define ARCH_THREAD_APART 1 /* struct pthread ends where the thread pointer points */
#define ARCH_TID_AT 0xd0
#define ARCH_SPIN_FREE 0

static inline long arch_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

static inline uint64_t arch_thread_pointer(void)
{
	return (uint64_t)(uintptr_t)__builtin_thread_pointer();
}

static inline void arch_pause(void)
{
	__asm__ volatile("yield");
}

#define ARCH_REGISTERS(regs, valid)                                                         \
	do {                                                                                \
		__asm__ volatile("stp x19, x20, [%0, #152]; stp x21, x22, [%0, #168];"      \
				 "stp x23, x24, [%0, #184]; stp x25, x26, [%0, #200];"      \
				 "stp x27, x28, [%0, #216]; stp x29, x30, [%0, #232];"      \
				 "mov x9, sp; adr x10, .; stp x9, x10, [%0, #248]"          \
				 :                                                          \
				 : "r"(regs)                                                \
				 : "x9", "x10", "memory");                                  \
		(valid) = 0xfffull << 19 | 1ull << MPSAN_STACK_SP | 1ull << MPSAN_STACK_PC; \
	} while (0)

static inline void arch_registers_of(const ucontext_t *context, uint64_t *regs)
{
	for (unsigned i = 0; i < MPSAN_STACK_SP; i++)
		regs[i] = context->uc_mcontext.regs[i];
	regs[MPSAN_STACK_SP] = context->uc_mcontext.sp;
	regs[MPSAN_STACK_PC] = context->uc_mcontext.pc;
}

#else
#error "mpsan runs on x86-64 and aarch64"
#endif
