/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session directory. Neighbours: life.c owns what is found here, table.h the processes in it, stale_sessions.c lets go of
 * what others left behind.
 */
#ifndef MPSAN_SESSION_H
#define MPSAN_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

/*
 * Finds or makes the session of this process and maps it. `directory` receives its path. With
 * MPSAN_DIR that directory is it (session_dir.h has what a '%' in it means), and is made when it is not there
 * and `make` allows that; without, it is that of the nearest ancestor that has one, else a new one of our own.
 */
struct mpsan_session *session_join(char *directory, uint32_t bytes, bool make);

/* Why there is one that was not joined, in words; NULL: there is none, or it cannot be made. */
extern const char *session_refused;

/* Negative errno of a session that could not be made; 0: it was not tried. */
extern long session_error;

/* Whose session it is: the effective user at the start. */
uint32_t session_user(void);

/* A directory of this user's that nobody else may write to, and no link. */
bool session_is_ours(const char *path);

#endif
