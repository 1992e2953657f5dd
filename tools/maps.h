/*
 * The modules that a process had mapped at some time: its own since its last exec, and below them
 * those that it inherited by fork. Neighbours: reader.h has the events, modules.h says what a
 * module is.
 */
#ifndef MPSAN_MAPS_H
#define MPSAN_MAPS_H

#include "modules.h"
#include "reader.h"

struct maps;

struct maps *maps_create(const struct reader *reader);
void maps_destroy(struct maps *maps);

/* Sorted; owned by `maps` and valid until the next call. */
const struct modules *maps_at(struct maps *maps, uint32_t slot, uint64_t time_ns);

#endif
