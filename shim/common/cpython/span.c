/* SPDX-License-Identifier: Apache-2.0 */
/* Reads memory in sequence. See span.h. */
#include "span.h"

#define PAGE 4096

void span_open(struct span *s, const struct cpython *py, uint64_t from)
{
	s->py = py;
	s->from = from;
	s->pos = s->have = 0;
}

void span_skip(struct span *s, uint64_t bytes)
{
	if (bytes <= s->have - s->pos)
		s->pos += bytes;
	else
		span_open(s, s->py, s->from + s->pos + bytes);
}

static void span_fill(struct span *s)
{
	long got;

	span_open(s, s->py, s->from + s->pos);
	if (!s->from)
		return;
	got = s->py->peek(s->py, s->chunk, s->from, CPYTHON_CHUNK);
	/*
	 * The kernel may refuse the whole read because its end is not mapped: stop at the page's
	 * end.
	 */
	if (got < 0 && PAGE - s->from % PAGE < CPYTHON_CHUNK)
		got = s->py->peek(s->py, s->chunk, s->from, PAGE - s->from % PAGE);
	s->have = got > 0 ? (size_t)got : 0;
}

const unsigned char *span_take(struct span *s, size_t bytes)
{
	if (s->have - s->pos < bytes)
		span_fill(s);
	if (s->have < bytes)
		return NULL;
	s->pos += bytes;
	return s->chunk + s->pos - bytes;
}

int span_byte(struct span *s)
{
	const unsigned char *byte = s->left ? span_take(s, 1) : NULL;

	if (!byte)
		return -1;
	s->left--;
	return *byte;
}
