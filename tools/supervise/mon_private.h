/*
 * Directories of sessions that nobody named: beside those of the library, under the name of this process, so that both
 * sides know when it was killed before it could remove its own. Neighbours: launch.h; shim/record/stale_sessions.c keeps their number
 * bounded, too.
 */
#ifndef MPSAN_MON_PRIVATE_H
#define MPSAN_MON_PRIVATE_H

/* Makes one in `tmp`, after removing those of the certainly dead. NULL: not there; owned by the caller. */
char *mon_private_make(const char *tmp);

#endif
