/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipes, sockets, eventfds and locked files, and the processes that hold them: of all readable processes of the
 * machine, in one walk over /proc. Neighbours: cross_process.h and the wait-for graph ask who could
 * still read or write.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../base/util.h"
#include "in_flight.h"

enum pipe_kind {
	PIPE_NOT, /* of no type known here: a file, a terminal */
	PIPE_ANY, /* an end of any of these may be in an unreceived message */
	PIPE_ANONYMOUS, /* also a FIFO without a name */
	PIPE_NAMED, /* a FIFO in a file system */
	PIPE_SOCKET, /* one end of a connection: the other is a socket of its own */
	PIPE_EVENT, /* an eventfd */
	PIPE_LOCKED, /* a file that is locked by an open file of the holder, see `locks` */
	PIPE_RING, /* an io_uring with requests: the kernel does what its process has asked for; no two are told apart */
	PIPE_AIO, /* the same of AIO, io_submit(2) */
	PIPE_POLL, /* an epoll set: those of one number may be one, inherited at a fork */
};

/* A pipe, identified across processes. */
struct pipe_id {
	enum pipe_kind kind;
	uint64_t device, inode; /* of an eventfd: its number; of an epoll set: its descriptor */
};

enum pipe_end { PIPE_END_READ = 1, PIPE_END_WRITE = 2 };

struct pipe_holder {
	struct pipe_id id;
	uint32_t pid;
	unsigned ends; /* enum pipe_end bits of all its descriptors */
};

/*
 * The result of a walk, which takes some milliseconds for a hundred processes, so it is made on
 * demand.
 */
struct pipes {
	ARRAY(struct pipe_holder) holders; /* by pipe, those of PIPE_ANY first */
	bool locks; /* files with locks are looked for, too */
	uint32_t in_flight; /* number of holders of PIPE_ANY */
	ARRAY(uint32_t) unread; /* processes of other users, which cannot be read */
};

/* The type of a process's descriptor; PIPE_NOT also if it cannot be read. */
struct pipe_id pipe_of(uint32_t pid, int fd);
/* The file of a descriptor, of kind PIPE_LOCKED whether or not it is; PIPE_NOT: no regular file. */
struct pipe_id pipe_file(uint32_t pid, int fd);
/* The ends of a pipe that a descriptor waits for: the other one, or both. */
unsigned pipe_other_ends(uint32_t pid, int fd);
/* "fd 4, 7": the descriptors by which a process holds these ends, which the caller frees; NULL: it does not. */
char *pipe_fds(uint32_t pid, const struct pipe_id *id, unsigned ends);
bool pipe_same(const struct pipe_id *one, const struct pipe_id *other);

/*
 * Scans all processes. Of messages in flight those count that the job may have sent, or will
 * receive.
 */
void pipes_scan(struct pipes *pipes, const struct flight_job *job);
void pipes_free(struct pipes *pipes);

/* The next process that holds one of these ends, starting at index `*at`; NULL: no more. */
const struct pipe_holder *pipes_next(const struct pipes *pipes, const struct pipe_id *id,
				     unsigned ends, uint32_t *at);

/*
 * Whether the kernel may act for a process on such an object, by its requests: those of an io_uring may read from
 * and write to anything, at the end of those of AIO an eventfd is signalled.
 */
bool pipes_kernel_acts(const struct pipes *pipes, const struct pipe_id *id, uint32_t pid);

/*
 * Whether an unreadable process is, or descends from, one that `is_ours` accepts, and so may have
 * inherited an end.
 */
bool pipes_are_blind(const struct pipes *pipes, bool (*is_ours)(uint32_t pid, void *context),
		     void *context);
