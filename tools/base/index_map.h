/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from the place of a record (slot, position, type) to an index. */
#pragma once

#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_map;

struct index_map *index_map_create(void);
void index_map_destroy(struct index_map *places);
void index_map_add(struct index_map *places, uint32_t slot, uint64_t pos, uint16_t type,
		   uint32_t index);
uint32_t index_map_find(const struct index_map *places, uint32_t slot, uint64_t pos, uint16_t type);
