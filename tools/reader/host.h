/*
 * This host and this process of a job, for a session that the command makes. Neighbours: launch.c; shim/record/session_dir.c has
 * the library's side, shim/common/rank.h what both share; hosts.h reads what is written here.
 */
#ifndef MPSAN_HOST_H
#define MPSAN_HOST_H

#include <stdbool.h>

#include "../../include/mpsan_log.h"

/* A directory's name with what '%' stands for replaced, owned by the caller; NULL: it becomes too long. */
char *host_directory(const char *pattern);

/* A directory's name that no '%' of it is replaced in, as MPSAN_DIR wants it; owned by the caller. */
char *host_literal(const char *dir);

/* Whether that host is this one, since the same boot. False in `known`: the session does not say. */
bool host_is_here(const struct mpsan_host *host, bool *known);

/* Whether /proc is there and counts processes as this one is counted: one of another pid namespace speaks of others. */
#define HOST_NO_PROC                                                                               \
	"/proc is missing, or of another pid namespace: nobody could be looked at (mount -t proc " \
	"proc /proc, unshare --mount-proc)"
bool host_proc_is_own(void);

/* When a process was started, in ticks since the machine was; 0: not known. */
uint64_t host_start_of(uint32_t pid);

/* Inode of this process's pid namespace, 0: not known. */
uint64_t host_pid_namespace(void);

/* Describes this host and process. `file` is one of the session's directory: its stamps tell what time it is there. */
void host_describe(struct mpsan_host *host, const char *file);

#endif
