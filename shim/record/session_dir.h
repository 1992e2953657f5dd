/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session directories that are named by host and rank, and what a session says of where it was made. Neighbours:
 * session.c, rank.h.
 */
#ifndef MPSAN_SESSION_DIR_H
#define MPSAN_SESSION_DIR_H

#include "../common/rank.h"

/*
 * The directory that a MPSAN_DIR with '%' means for this process. Descendants of a process that was asked before are told
 * the same, whatever their launcher has set meanwhile: `notes` is a private directory where that is noted, NULL when
 * there is none. False when it does not fit.
 */
bool host_directory(char *to, size_t bytes, const char *pattern, const char *notes);

/*
 * Where a session was made. Pids mean nothing on another host, nor after the machine was started again. Containers of
 * one host, which have names of their own, may share one.
 */
enum host_origin { HOST_HERE, HOST_OTHER, HOST_EARLIER };
enum host_origin host_origin(const struct mpsan_host *host);

/* Describes this host and process. `file` is one of the session's directory: its stamps tell what time it is there. */
void host_describe(struct mpsan_host *host, const char *file);

#endif
