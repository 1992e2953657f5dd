/* SPDX-License-Identifier: Apache-2.0 */
/* Builds text without libc: strings, numbers and tails of paths. Declared in sys.h. */
#include "sys.h"

char *text_put(char *at, char *end, const char *string)
{
	while (*string && at + 1 < end)
		*at++ = *string++;
	*at = '\0';
	return at;
}

char *text_put_number(char *at, char *end, uint64_t value, unsigned base)
{
	char digit[24];
	int n = sizeof(digit) - 1;

	digit[n] = '\0';
	do
		digit[--n] = "0123456789abcdef"[value % base];
	while (value /= base);
	return text_put(at, end, digit + n);
}

const char *text_tail(const char *path)
{
	const char *tail = path;

	for (const char *c = path; *c; c++)
		tail = *c == '/' ? c + 1 : tail;
	return tail;
}

bool text_starts(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

bool text_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

uint64_t text_number(const char *text, const char **rest)
{
	uint64_t value = 0;

	while (*text >= '0' && *text <= '9')
		value = value * 10 + (uint64_t)(*text++ - '0');
	if (rest)
		*rest = text;
	return value;
}

uint64_t text_hex(const char *text)
{
	uint64_t value = 0;

	for (; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++)
		value = value << 4 | (uint64_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
	return value;
}
