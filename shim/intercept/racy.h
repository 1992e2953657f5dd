/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that threads read and write without locks on purpose. Valgrind's race detectors know no
 * atomics and are told by client requests: instructions that do nothing outside Valgrind. Numbers
 * and registers are its stable interface (valgrind.h, helgrind.h, drd.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RACY_RUNNING ((uint64_t)0x1001) /* RUNNING_ON_VALGRIND */
#define RACY_HELGRIND ((uint64_t)'H' << 24 | 'G' << 16 | 295) /* VALGRIND_HG_DISABLE_CHECKING */
#define RACY_REPORTS ((uint64_t)0x1801) /* VALGRIND_DISABLE_ERROR_REPORTING and its end */
#define RACY_DRD ((uint64_t)'D' << 24 | 'R' << 16 | 2) /* ANNOTATE_BENIGN_RACE_SIZED */

/* The result is 0 outside Valgrind. */
static inline uint64_t racy_request(uint64_t request, const void *start, size_t bytes)
{
	uint64_t words[] = {request, (uint64_t)(uintptr_t)start, bytes, 0, 0, 0}, result = 0;

#if defined(__x86_64__)
	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi;"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(result)
			 : "a"(words)
			 : "cc", "memory");
#elif defined(__aarch64__)
	register uint64_t x3 __asm__("x3") = result;
	register uint64_t *x4 __asm__("x4") = words;

	__asm__ volatile(
		"ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61;"
		"orr x10, x10, x10"
		: "+r"(x3)
		: "r"(x4)
		: "cc", "memory");
	result = x3;
#endif
	return result;
}

/*
 * Reads a word of a lock that libc writes, without that lock: race checks of this thread are off
 * meanwhile.
 */
static inline uint32_t racy_word(const void *word)
{
	uint32_t value;

	racy_request(RACY_REPORTS, (const void *)1, 0);
	value = __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED);
	racy_request(RACY_REPORTS, (const void *)-1, 0);
	return value;
}

static inline void racy_memory(const void *start, size_t bytes)
{
	racy_request(RACY_HELGRIND, start, bytes);
	racy_request(RACY_DRD, start, bytes);
}

/* Marks the data of the library itself. */
void racy_image(void);
