/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory and string functions that the library and its compiler need, hidden from other
 * objects. libc's own are exported names, and under a sanitizer those lead into a runtime that is
 * not initialised when this library is first called.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Without it the compiler would turn the loop of memcpy into a call of memcpy; for clang the
 * Makefile has -fno-builtin.
 */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

typedef uint64_t word __attribute__((may_alias, aligned(1)));

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	char *t = to;
	const char *f = from;

	for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word), f += sizeof(word))
		*(word *)(void *)t = *(const word *)(const void *)f;
	while (n--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if (t <= f)
		return memcpy(to, from, n);
	while (n--)
		t[n] = f[n];
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	char *t = to;
	uint64_t pattern = (unsigned char)byte * 0x0101010101010101ull;

	for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word))
		*(word *)(void *)t = pattern;
	while (n--)
		*t++ = (char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n >= sizeof(word); n -= sizeof(word), x += sizeof(word), y += sizeof(word))
		if (*(const word *)(const void *)x != *(const word *)(const void *)y)
			break;
	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}
