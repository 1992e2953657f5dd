/*
 * Which of a parent's threads could have ended a wait of its forked child: those that began in the module
 * whose code waits. Neighbours: triggers.c asks when a wait has lasted; maps.h knows the modules.
 */
#ifndef MPSAN_POOL_THREADS_H
#define MPSAN_POOL_THREADS_H

#include "reader.h"

/* Fills in pool_threads and in_library of a wait that only others could end. */
void pool_threads_count(const struct reader *reader, struct fact_wait *wait);

#endif
