/* SPDX-License-Identifier: Apache-2.0 */
/* The library steps aside: every hook becomes a jump. Neighbours: hook.h has hook_off; no_log.h the reasons of a missing log. */
#ifndef MPSAN_SWITCH_OFF_H
#define MPSAN_SWITCH_OFF_H

/* For this reason, an enum mpsan_off: said once. */
void switch_off_for(unsigned why);

/* The session's table is full: whoever is the first to find no place says so. */
void switch_off_full(void);

/* A file of the session was truncated; called by a handler, when not even the slot may be there any more. */
void switch_off_cut_short(void);

#endif
