/*
 * One snapshot of a stack of this very process, as the library would record it: of the calling
 * thread by take(), or of a blocked one by take_other().
 */
#ifndef TEST_SELF_SNAPSHOT_H
#define TEST_SELF_SNAPSHOT_H

#include "mpsan_log.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../shim/intercept/arch.h"

#define RIP MPSAN_STACK_PC
#define RSP MPSAN_STACK_SP
#define RBP MPSAN_STACK_FRAME
#define NOINLINE __attribute__((noinline))
#define AFTER_CALL __asm__ volatile("" ::: "memory") /* keeps a call from becoming a jump */

/* Calls its argument from a frame without unwind table, as hand-written assembly has. */
void call_bare(void (*function)(void));
__asm__(".text\n"
	".globl call_bare\n"
	".type call_bare, %function\n"
	"call_bare:\n\t"
#if defined(__x86_64__)
	"push %rbp\n\tmov %rsp, %rbp\n\tcall *%rdi\n\tpop %rbp\n\tret\n"
#else
	"stp x29, x30, [sp, #-16]!\n\tmov x29, sp\n\tblr x0\n\tldp x29, x30, [sp], #16\n\tret\n"
#endif
	".size call_bare, . - call_bare\n");

struct snapshot {
	struct mpsan_stack head;
	uint8_t bytes[MPSAN_STACK_BYTES];
};

static struct snapshot snapshot;

static uint64_t stack_top(void)
{
	pthread_attr_t attr;
	void *low;
	size_t size;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	return (uint64_t)low + size;
}

/* Word by word, because under ASan memcpy would complain about the red zones. */
__attribute__((no_sanitize("address", "undefined"))) static void copy_words(uint64_t from)
{
	volatile uint64_t *word = (volatile uint64_t *)from;

	for (size_t i = 0; i < snapshot.head.bytes / 8; i++)
		((volatile uint64_t *)snapshot.bytes)[i] = word[i];
}

static void copy_stack(uint64_t sp, uint64_t top)
{
	uint64_t bytes = top - sp;

	snapshot.head.bytes = (bytes < MPSAN_STACK_BYTES ? bytes : MPSAN_STACK_BYTES) & ~7ull;
	copy_words(sp);
}

NOINLINE static void take(void)
{
	uint64_t *regs = snapshot.head.regs;
	uint64_t top = stack_top();

	ARCH_REGISTERS(regs, snapshot.head.valid);
	copy_stack(regs[RSP], top);
}

/* As the library does for a thread that holds a lock at fork. False: the kernel does not say. */
__attribute__((unused)) static bool take_other(pid_t tid, uint64_t top)
{
	uint64_t sp, pc;
	char path[64], text[256] = "";
	ssize_t got = -1;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	for (int i = 0; i < 1000 && strncmp(text, "0 ", 2); i++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		close(fd);
		usleep(1000);
	}
	if (got < 0 || sscanf(text, "%*s %*s %*s %*s %*s %*s %*s %lx %lx", &sp, &pc) != 2)
		return false;
	snapshot.head.valid = 1ull << RIP | 1ull << RSP;
	snapshot.head.regs[RSP] = sp;
	snapshot.head.regs[RIP] = pc;
	copy_stack(sp, top);
	return true;
}

#endif
