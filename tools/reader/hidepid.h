/*
 * Processes that live and that /proc does not show: it is mounted with hidepid, and they may not be
 * traced by us (another user's, set-user-ID, not dumpable). What they hold and map is not known, so
 * nobody may be called lost who could be helped by them. Neighbours: session.h tells whether a
 * process of the session lives; enders.h and shared.h ask.
 */
#ifndef MPSAN_HIDEPID_H
#define MPSAN_HIDEPID_H

#include "reader.h"

#define HIDDEN_CURE                                                                                   \
	"run mpsan as root, or as a member of the group that /proc's option gid= names; or mount -o " \
	"remount,hidepid=0 /proc"

/* Whether /proc is mounted so. Read once. */
bool hidepid_possible(void);
/* The same of one line of mountinfo. */
bool hidepid_option(const char *mountinfo);

/* Processes of the session that are hidden; the first one's slot, FACT_NONE: none is. */
uint32_t hidepid_count(const struct reader *reader);
uint32_t hidepid_first(const struct reader *reader);
/* Whether any are, or children of those that are seen. */
bool hidepid_any(const struct reader *reader);

#endif
