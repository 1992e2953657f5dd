/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open file descriptions that a fork shares: parent and child have one offset in a regular file,
 * and one byte stream in a connection. The first read, write and seek of each on such a descriptor
 * is recorded, with the proof that it is the same open file description (kcmp); the first read with
 * the time of the last write before it. What is done under a process-shared lock is recorded with
 * that lock, and once more as soon as it is done without. See descriptor.h, stream.h, use_gates.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/* A descriptor is used in a way that was not recorded since the last fork. */
void shared_ofd_used(int fd, enum mpsan_offset_what what, uint64_t caller);
/* Stops watching a descriptor. */
void shared_ofd_apart(int fd);
void shared_ofd_forked(bool child);
