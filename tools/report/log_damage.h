/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged logs of a session: truncated, missing, or replaced. Neighbours: logfile.h reads them;
 * limits.c, find_sessions.c and dump.c report the damage.
 */
#pragma once

#include "../reader/reader.h"

/*
 * What is wrong with the log of a slot, with the cure, which the caller frees; NULL: nothing. The
 * slot after the last one is the supervisor's.
 */
char *log_damage_told(const struct reader *reader, uint32_t slot);

/*
 * One line, which the caller frees, about a session none of whose logs can be read; NULL if some
 * can.
 */
char *log_damage_of_all(const struct session *session);
