/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions and signal frames that unwinding recognises, of x86-64 and aarch64. Facts: the
 * instruction sets, the ABI supplements, and the kernel's struct rt_sigframe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../../include/mpsan_log.h"

enum code_call {
	CODE_NO_CALL, /* no call instruction ends here */
	CODE_CALL_INDIRECT,
	CODE_CALL_DIRECT,
};

#if defined(__x86_64__)

#define CODE_STUB_BYTES 8
#define CODE_CALL_BYTES 7 /* of the longest call */
#define CODE_RETURNS_IN_VDSO false
#define CODE_LINK 0u /* calls push the return address */
#define CODE_MAY_BE_SIGNED false
static const uint8_t code_signal_return[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

/* From the stack pointer of a handler that has returned: the kernel's ucontext, then a siginfo. */
#define CODE_BLOCKED_AT 296u /* the signals that were blocked before */
#define CODE_SIGINFO_AT 304u

/* A jump through memory, after endbr64 or bnd. */
static inline bool code_is_stub(const uint8_t *code)
{
	static const uint8_t endbr[4] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = memcmp(code, endbr, sizeof(endbr)) ? 0 : sizeof(endbr);

	at += code[at] == 0xf2;
	return code[at] == 0xff && code[at + 1] == 0x25;
}

/* e8 is a direct call, ff /2 an indirect one of any length. `distance`: from its end to its target. */
static inline enum code_call code_call_that_ends(const uint8_t *code, int64_t *distance)
{
	int32_t near;

	memcpy(&near, code + 3, sizeof(near));
	*distance = near;
	if (code[2] == 0xe8)
		return CODE_CALL_DIRECT;
	for (unsigned i = 0; i < 6; i++)
		if (i != 2 && code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return CODE_CALL_INDIRECT;
	return CODE_NO_CALL;
}

/* The memory through which a stub at that address jumps. */
#define CODE_JUMP_BYTES 12 /* of the longest stub, as far as that */
static inline uint64_t code_jump_cell(const uint8_t *code, uint64_t address)
{
	size_t at = code[0] == 0xff || code[0] == 0xf2 ? 0 : 4;
	int32_t near;

	at += code[at] == 0xf2;
	memcpy(&near, code + at + 2, sizeof(near));
	return address + at + 6 + (uint64_t)(int64_t)near;
}

/* The same for a call that returns to that address; 0: it is another kind of call. */
static inline uint64_t code_call_cell(const uint8_t *code, uint64_t back)
{
	int32_t near;

	memcpy(&near, code + 3, sizeof(near));
	return code[1] == 0xff && code[2] == 0x15 ? back + (uint64_t)(int64_t)near : 0;
}

#elif defined(__aarch64__)

#define CODE_STUB_BYTES 8
#define CODE_CALL_BYTES 4
#define CODE_RETURNS_IN_VDSO true /* signal handlers do; nothing in it calls other code */
#define CODE_MAY_BE_SIGNED true /* return addresses: see return_address.h */
#define CODE_LINK MPSAN_STACK_LINK /* where a call leaves the return address */
/* mov x8, #139; svc #0 */
static const uint8_t code_signal_return[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};

/* From the stack pointer of a handler that has returned: a siginfo, then the kernel's ucontext. */
#define CODE_BLOCKED_AT 168u
#define CODE_SIGINFO_AT 0u

static inline uint32_t code_word(const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

/* adrp x16, perhaps after bti c */
static inline bool code_is_stub(const uint8_t *code)
{
	uint32_t word = code_word(code);

	if (word == 0xd503245f)
		word = code_word(code + 4);
	return (word & 0x9f00001f) == 0x90000010;
}

/* bl is a direct call, blr an indirect one. `distance`: from its end to its target. */
static inline enum code_call code_call_that_ends(const uint8_t *code, int64_t *distance)
{
	uint32_t word = code_word(code);

	*distance = (int64_t)((int32_t)(word << 6) >> 6) * 4 - CODE_CALL_BYTES;
	if ((word & 0xfc000000) == 0x94000000)
		return CODE_CALL_DIRECT;
	return (word & 0xfffffc1f) == 0xd63f0000 ? CODE_CALL_INDIRECT : CODE_NO_CALL;
}

/* The memory through which a stub at that address jumps: adrp x16, ldr x17. */
#define CODE_JUMP_BYTES 12
static inline uint64_t code_jump_cell(const uint8_t *code, uint64_t address)
{
	size_t at = code_word(code) == 0xd503245f ? 4 : 0;
	uint32_t page = code_word(code + at), load = code_word(code + at + 4);
	uint32_t pages = (page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3);

	if ((load & 0xffc00000) != 0xf9400000)
		return 0;
	return ((address + at) & ~0xfffull) +
	       (uint64_t)((int64_t)((int32_t)(pages << 11) >> 11) * 4096) +
	       (load >> 10 & 0xfff) * 8;
}

/* No call goes through memory. */
static inline uint64_t code_call_cell(const uint8_t *code, uint64_t back)
{
	(void)code;
	(void)back;
	return 0;
}

#endif
