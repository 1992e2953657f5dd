/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open files that a fork made common: parent and child have one offset in a regular file, and one stream
 * of bytes in a connection. What either does with such a descriptor first, reading, writing or moving,
 * is stated, with the proof that it is the very same open file (kcmp). Neighbours: descriptor.h, stream.h.
 */
#ifndef MPSAN_SHARED_OFD_H
#define MPSAN_SHARED_OFD_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_event.h"

/* A descriptor is used, and that is not known of it since the last fork. */
void shared_ofd_used(int fd, enum mpsan_offset_what what, uint64_t caller);
/* It is of no interest any more. */
void shared_ofd_apart(int fd);
void shared_ofd_forked(bool child);

#endif
