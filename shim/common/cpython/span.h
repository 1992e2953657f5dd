/* SPDX-License-Identifier: Apache-2.0 */
/* A sequential reader in chunks: an object's head and what follows cost one peek. */
#pragma once

#include "cpython.h"

struct span {
	const struct cpython *py;
	uint64_t from; /* address of chunk[0] */
	size_t pos, have;
	uint64_t left; /* for span_byte */
	unsigned char chunk[CPYTHON_CHUNK];
};

void span_open(struct span *s, const struct cpython *py, uint64_t from);
void span_skip(struct span *s, uint64_t bytes);
/* The next bytes, at most CPYTHON_CHUNK; NULL: not readable. */
const unsigned char *span_take(struct span *s, size_t bytes);
/* The next of `left` bytes, or -1. */
int span_byte(struct span *s);
