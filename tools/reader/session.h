/*
 * A session directory: its file `session` with the process table, mapped. Neighbours: logfile.h
 * has the logs beside it, launch.h makes a new one, reader.h puts all together.
 */
#ifndef MPSAN_SESSION_H
#define MPSAN_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "../../include/mpsan_log.h"

struct session {
	char *dir;
	int dirfd;
	struct mpsan_session *head;
	struct mpsan_process *table;
	/* for so many there are addresses; the supervisor's own log has this number */
	uint32_t slots;
	uint32_t there; /* slots that the file had when it was last looked at */
	uint64_t device, inode; /* of the file */
	size_t bytes; /* mapped */
	bool writable;
	bool here; /* recorded on this machine since its last boot: /proc knows its processes */
};

/*
 * Opens a session. Returns NULL, or says in one line (owned by the caller) what is wrong and what
 * to do.
 */
char *session_open(struct session *session, const char *dir, bool writable);
void session_close(struct session *session);

/* Slots that there are by now: the table grows while processes come. */
uint32_t session_there(struct session *session);

/* The slot of a process's first image: each exec in place begins another, whose parent is the last. */
uint32_t session_born_as(const struct session *session, uint32_t slot);

enum liveness { ALIVE, GONE, UNKNOWN };

/* Whether it is counted in another pid namespace: its pid means somebody else here. */
bool session_is_elsewhere(const struct mpsan_process *process);

/* Whether the process with this pid here is there and was born then. */
enum liveness session_runs_as(uint32_t pid, uint64_t birth_ns);

/*
 * Whether the process of a slot is still there, by /proc. A reused pid is told apart by its start
 * time, but for one that /proc hides: when it is another user's, it is not known whose it is.
 */
enum liveness session_liveness(const struct session *session, uint32_t slot);

#endif
