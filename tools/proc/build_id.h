/* SPDX-License-Identifier: Apache-2.0 */
/* Build-ids of objects that another process has mapped, from its memory. Neighbour: proc.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_TEXT 129u

/* Copies memory, all of it or none. */
typedef bool build_id_peek(const void *context, uint64_t from, void *to, size_t bytes);

/* The same as build_id_at, of memory that `peek` reads. */
bool build_id_find(build_id_peek *peek, const void *context, uint64_t base,
		   char text[BUILD_ID_TEXT]);

/* The build-id, in hex, of the ELF file whose headers are at `base`; false: it has none, or unreadable. */
bool build_id_at(uint32_t pid, uint64_t base, char text[BUILD_ID_TEXT]);
