/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parent threads that could have signalled a forked child's wait: those started by the waiting
 * module. Neighbours: triggers.c calls when a wait has lasted; maps.h knows the modules.
 */
#pragma once

#include "reader.h"

/* Sets pool_threads and in_library of a wait that only other threads could end. */
void pool_threads_count(const struct reader *reader, struct fact_wait *wait);
