/*
 * Files that are mapped here may be cut short by anybody: what is missing then reads as zeroes, and the fault is no
 * end of this program. Whoever draws conclusions asks whether it happened. Neighbours: session.c, logfile.c, exports.c
 * and modules.c map files.
 */
#ifndef MPSAN_GUARD_H
#define MPSAN_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* From now on until guard_remove. `is_session`: conclusions are drawn from it. */
void guard_add(const void *start, size_t bytes, bool is_session);
void guard_remove(const void *start);

/* Whether something of a session was missing since this program was started. */
bool guard_has_cut(void);

#endif
