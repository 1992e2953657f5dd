/*
 * What is wrong with the logs of a session: truncated, gone, something else in their place. Neighbours: logfile.h
 * reads them; limits.c, find_sessions.c and dump.c tell.
 */
#ifndef MPSAN_DAMAGE_H
#define MPSAN_DAMAGE_H

#include "../reader/reader.h"

/*
 * In words and with the cure (owned by the caller), of a log that was to be there; NULL. The slot behind all others
 * is the supervisor's.
 */
char *damage_told(const struct reader *reader, uint32_t slot);

/* One line (owned by the caller) about a session that made logs and of which none can be read; NULL. */
char *damage_of_all(const struct session *session);

#endif
