/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped files may be truncated by other processes while they are read. Missing pages then read as
 * zeroes instead of killing the command with SIGBUS; guard_has_cut() tells that it happened.
 * Neighbours: session.c, logfile.c, export_table.c and modules.c map files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Guards this mapping until guard_remove. `is_session`: guard_has_cut() reports its truncation. */
void guard_add(const void *start, size_t bytes, bool is_session);
void guard_remove(const void *start);

/* Whether a session file was truncated while it was mapped, since the command started. */
bool guard_has_cut(void);
