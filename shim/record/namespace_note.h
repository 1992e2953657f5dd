/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A note beside the sessions that plain preloading makes: the PID namespace that a mount of /proc shows, and how
 * the clocks of its initial time namespace stand to each other. A process that sees that mount, and whose clocks
 * stand to each other in that way, is in both; to ask the kernel costs each process 40 us (decisions/0009).
 */
#ifndef MPSAN_NAMESPACE_NOTE_H
#define MPSAN_NAMESPACE_NOTE_H

#include <stdbool.h>
#include <stdint.h>

/* The PID namespace of this process, which is in the initial time namespace; 0: the note does not say so. */
uint64_t namespace_note_read(const char *base);
/* Leaves a note in the directory `base`, which belongs to this user, unless this process's times are shifted. */
void namespace_note_write(const char *base, uint64_t pid_ns);

#endif
