/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FNV-1a, 64 bits wide: what names, handles and fingerprints are hashed by, in logs, too. Pure code for the
 * library and the command.
 */
#pragma once

#include <stdint.h>

#define HASH_EMPTY 0xcbf29ce484222325ull /* of no bytes */

static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x100000001b3ull;
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, uint64_t length)
{
	const unsigned char *byte = bytes;

	for (uint64_t i = 0; i < length; i++)
		hash = hash_add(hash, byte[i]);
	return hash;
}

static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = hash_add(hash, (unsigned char)*text);
	return hash;
}
