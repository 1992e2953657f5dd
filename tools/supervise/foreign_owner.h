/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of other users: the owner of one above a session could replace the session. */
#pragma once

/*
 * The first directory above `path` that belongs to another user, as one line that the caller frees;
 * NULL: none.
 */
char *foreign_above(const char *path);
