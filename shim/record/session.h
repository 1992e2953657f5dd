/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session directory. life.c keeps what is found here, table.h has the processes in it,
 * stale_sessions.c removes old ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

/*
 * Finds or creates the session of this process and maps it; `directory` receives its path. With
 * MPSAN_DIR it is that directory (session_dir.h explains '%' in it), created if it does not exist
 * and `make` allows it. Otherwise it is that of the nearest ancestor that has one, or else a new
 * one; `pid_ns` then receives the PID namespace of this process, which is part of the search.
 */
struct mpsan_session *session_join(char *directory, uint32_t bytes, bool make, uint64_t *pid_ns);

/*
 * Why an existing session was not joined, as text; NULL: there is none, or it could not be created.
 */
extern const char *session_refused;
/*
 * Without /proc: whether the parent, or an earlier image of this process, was noted before it, and so has said that it is
 * not watched. Notes this process.
 */
bool session_told_parent(void);

/* Negative errno value of a failed creation; 0: not tried. */
extern long session_error;

/* The user of the session: the effective user at the start. */
uint32_t session_user(void);

/* Whether the path is a directory (no link) of this user that no other user may write to. */
bool session_is_ours(const char *path);
