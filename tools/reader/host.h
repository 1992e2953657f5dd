/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host, and the process's place in a job, for sessions that the command creates. Neighbours:
 * launch.c; shim/record/session_dir.c is the library's side, shim/common/rank.h is shared; hosts.h
 * reads what is written here.
 */
#pragma once

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/* A directory name with its '%' patterns expanded, which the caller frees; NULL: too long. */
char *host_directory(const char *pattern);

/* A directory name escaped for MPSAN_DIR, so that no '%' in it is expanded; the caller frees it. */
char *host_literal(const char *dir);

/* Whether that host is this one, since the same boot. `known` false: the session does not say. */
bool host_is_here(const struct mpsan_host *host, bool *known);

/* Whether /proc is mounted and belongs to our PID namespace. */
#define HOST_NO_PROC                                                                                     \
	"/proc is missing, or of another PID namespace: processes could not be examined (mount -t proc " \
	"proc /proc, unshare --mount-proc)"
bool host_proc_is_own(void);

/* When a process started, in ticks since boot; 0: unknown. */
uint64_t host_start_of(uint32_t pid);

/* Whether a process that started then, in ticks since boot, did so after a time of CLOCK_MONOTONIC. */
bool host_started_later(uint64_t start, uint64_t birth_ns);

/* The time of CLOCK_MONOTONIC of such a start. */
uint64_t host_start_ns(uint64_t start);

/* Inode of this process's PID namespace; 0: unknown. */
uint64_t host_pid_namespace(void);
/* mpsan_proc_mount of this process. */
uint64_t host_proc_mount(void);

/*
 * Describes this host and process. `file` is in the session's directory: its timestamps tell the
 * file system's time.
 */
void host_describe(struct mpsan_host *host, const char *file);
