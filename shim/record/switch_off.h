/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches the library off: every hook becomes a jump. hook.h has hook_off; no_log.h the reasons
 * for a missing log.
 */
#pragma once

/* Switches it off for a reason (enum mpsan_off), which is printed once. */
void switch_off_for(unsigned why);

/* The session's table is full: the first process without a slot says so. */
void switch_off_full(void);

/*
 * A file of the session was truncated. Called by a signal handler, when even the slot may be gone.
 */
void switch_off_cut_short(void);
