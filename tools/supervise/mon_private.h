/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private session directories, for sessions without --dir: beside those of the library, named after
 * this process, so that stale ones can be recognised and removed. Neighbours: launch.h;
 * shim/record/stale_sessions.c limits their number, too.
 */
#pragma once

/* Creates one in `tmp` after removing stale ones. The caller frees its path; NULL on failure. */
char *mon_private_make(const char *tmp);
