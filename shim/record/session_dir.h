/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session directories named by host and rank, and the description of the host in a session. See
 * session.c, rank.h.
 */
#pragma once

#include "../common/rank.h"

/*
 * Expands an MPSAN_DIR with '%' for this process. Descendants of a process that expanded it get the
 * same directory, whatever their launcher has set meanwhile: it is noted in the private directory
 * `notes` (NULL: none). False: it does not fit.
 */
bool host_directory(char *to, size_t bytes, const char *pattern, const char *notes);

/*
 * Where a session was created. PIDs mean nothing on another host, or after a reboot. Containers of
 * one host, which have names of their own, may share a session.
 */
enum host_origin { HOST_HERE, HOST_OTHER, HOST_EARLIER };
enum host_origin host_origin(const struct mpsan_host *host);

/*
 * Describes this host and process. `file` is in the session's directory: its timestamps show the
 * clock there.
 */
void host_describe(struct mpsan_host *host, const char *file);
