/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session directory: its file `session` with the process table, mapped. Neighbours: logfile.h
 * reads the logs, launch.h creates sessions, reader.h combines them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "../proc/files/user.h"
#include "elsewhere.h"

struct session {
	char *dir;
	int dirfd;
	struct mpsan_session *head;
	struct mpsan_process *table;
	/* the table's largest size; the supervisor's log has this number */
	uint32_t slots;
	uint32_t there; /* slots in the file at the last check */
	bool tight; /* the table could not be made larger */
	uint64_t device, inode; /* of the file */
	size_t bytes; /* mapped */
	bool writable;
	bool here; /* recorded on this machine since its last boot: its processes are in /proc */
	struct elsewhere *elsewhere; /* see session_pid */
	struct roots *roots; /* see session_root */
};

/* Opens a session. Returns NULL, or a one-line error with a cure that the caller frees. */
char *session_open(struct session *session, const char *dir, bool writable);
void session_close(struct session *session);

/* The current number of slots: the table grows with new processes. */
uint32_t session_there(struct session *session);

/* Makes the table larger when a quarter of it is used, for processes that cannot. */
void session_make_room(struct session *session);

/*
 * The slot of a process's first image: each exec takes another slot, whose parent is the previous
 * one.
 */
uint32_t session_born_as(const struct session *session, uint32_t slot);

/*
 * The number of the log in which a child's `fork_pos` is: its parent's, which it has. From outside,
 * the supervisor's has all records.
 */
static inline uint32_t session_fork_log(const struct session *session,
					const struct mpsan_process *child)
{
	return session->head->outside ? session->slots : child->parent - 1;
}

enum liveness { ALIVE, GONE, UNKNOWN };

/* Whether the session had a supervisor, which ended before it could record the end. */
bool session_lost_supervisor(const struct session *session);

/* Whether the session's files were removed since it was opened. */
bool session_is_removed(const struct session *session);

/* The number that the process of a slot has in /proc here; 0: it is elsewhere, and not found. */
uint32_t session_pid(const struct session *session, uint32_t slot);

/* Where the files of the process of a slot can be read, see roots_of. */
const char *session_root(const struct session *session, uint32_t slot);

/*
 * Whose rights count for files that the process of a slot names: root must not show what its user could not read. Of one
 * that has ended, the session's owner or, if that is root, the user that the table names; nobody, if it is not known, or
 * if it has got more rights since it began: those of another program.
 */
void session_user(const struct session *session, uint32_t slot, struct proc_user *user);

/* Signals with handlers that could end a wait of that process: see proc_handlers. */
uint64_t session_handlers(const struct session *session, uint32_t slot);

/* Whether the process with this pid exists and was started at that time. */
enum liveness session_runs_as(uint32_t pid, uint64_t birth_ns);

/*
 * Whether the process of a slot is alive, by /proc. A reused pid is recognised by its start time,
 * unless /proc hides the process: if it is another user's, the answer is unknown.
 */
enum liveness session_liveness(const struct session *session, uint32_t slot);
