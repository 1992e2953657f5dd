/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unix sockets, as sock_diag(7) tells of them: those of this network namespace only. Neighbours:
 * in_flight.h and the wait-for graph ask for peers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNIX_ENDS 64u

/* A socket and those at its other end. */
struct unix_ends {
	uint32_t peer; /* the inode that it is connected to; 0: none, or it is not accepted yet */
	/* the peer, and those of the connections that wait to be accepted */
	uint32_t inode[UNIX_ENDS];
	uint32_t count;
	bool unknown; /* one is closed, or there are more */
	bool listens; /* others connect to it */
};

/* A socket that others connect to. */
struct unix_listener {
	uint32_t inode; /* 0: none, or several */
	bool full; /* its queue has no room: connect() waits until one is accepted */
};

/*
 * The listener that is bound to this name: an absolute path, or, if it begins with a zero byte, an
 * abstract name. A path may lead to another one in another mount or network namespace.
 */
struct unix_listener unix_diag_listener(const char *name, size_t bytes);

/* False if there is no such socket here, or the kernel does not tell. */
bool unix_diag_ends(uint64_t inode, struct unix_ends *ends);
