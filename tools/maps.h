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

/*
 * Takes the modules of a living process from /proc/PID/maps: they are the answer for `time_ns` and
 * later. Nothing changes where that file may not be read.
 */
void maps_learn(struct maps *maps, uint32_t slot, uint32_t pid, uint64_t time_ns);
/* The process is gone: what its log says of modules is enough. */
void maps_forget(struct maps *maps, uint32_t slot);

#endif
