/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a socket is, and who is at its other end, in words for a person. Answers may be a second old.
 * Neighbours: ../proc/tcp_peers.h and ../proc/unix_diag.h, on which proofs rest.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum socket_kind { SOCKET_UNKNOWN, SOCKET_TCP, SOCKET_UDP, SOCKET_UNIX };

#define SOCKET_NAME_BYTES 128u

struct socket_facts {
	enum socket_kind kind;
	bool listens;
	bool connects; /* its connection is not established yet */
	char local[SOCKET_NAME_BYTES]; /* "127.0.0.1:80", a path, or "" */
	char peer
		[SOCKET_NAME_BYTES]; /* the same of the other end; "" if there is none, or it has no name */
	uint64_t peer_inode; /* of the socket at the other end; 0: it is not on this host */
	uint64_t
		listener; /* the inode of the socket whose queue has the other end; 0: it is accepted, or elsewhere */
};

/* A socket of that process, by its inode. False: it is none of these kinds. */
bool sockets_look(uint32_t pid, uint64_t inode, struct socket_facts *facts);
