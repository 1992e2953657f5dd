/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Return addresses as functions save them on a stack. On aarch64 those built with -mbranch-protection sign them, above
 * the 48 bits that the addresses of a program have; bit 55 is set in the kernel's alone. Facts: the Arm architecture's
 * pointer authentication, and the kernel's pointer-authentication.rst.
 */
#pragma once

#include <stdint.h>

/* The address without its signature. */
static inline uint64_t return_address(uint64_t saved)
{
#if defined(__aarch64__)
	return saved >> 55 & 1 ? saved : saved & 0xffffffffffffull;
#else
	return saved;
#endif
}
