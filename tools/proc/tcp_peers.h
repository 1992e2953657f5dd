/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's lists of sockets of TCP and UDP, and TCP connections with both ends on this host, in this network
 * namespace. Neighbours: unix_diag.h has the peers of Unix sockets; the wait-for graph asks for both.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../base/util.h"

#define TCP_ESTABLISHED 1u
#define TCP_CONNECTING 2u
#define TCP_LISTENS 10u

struct inet_end {
	char address[33]; /* of IPv6, in hexadecimal digits */
	unsigned port;
};

struct inet_row {
	struct inet_end local, remote;
	unsigned state;
	unsigned long inode; /* 0: nobody has accepted it yet */
	bool unsent; /* its data are not acknowledged yet: they may be under way */
	bool unread; /* the peer's data wait there for who reads them */
};

struct inet_rows {
	ARRAY(struct inet_row) row;
};

/* Adds a file's rows in one of these states, as bits. */
void inet_read(struct inet_rows *rows, const char *name, unsigned states);
const struct inet_row *inet_find(const struct inet_rows *rows, uint64_t inode);
/* The other end; NULL: it is elsewhere. */
const struct inet_row *inet_peer(const struct inet_rows *rows, const struct inet_row *own);
/* The inode of the socket itself, or of the listener that has it in its queue; 0: several may have it. */
uint64_t inet_accepted(const struct inet_rows *rows, const struct inet_row *row);

#define TCP_LATER UINT64_MAX

/*
 * The inode of the socket at the other end of an established connection on which nothing is under
 * way; or of the listener by which it is still to be accepted. 0: none, or it is elsewhere. The kernel's list is read again if it is older than that time,
 * which may take long: TCP_LATER if it is too early for that.
 */
uint64_t tcp_peer(uint64_t inode, uint64_t since_ns);

/* As tcp_peer, of a socket that has more to send, while the other end has data that nobody has read. */
uint64_t tcp_reader(uint64_t inode, uint64_t since_ns);

/* Whether it is a listener, in the list as it was read last. */
bool tcp_listens(uint64_t inode);

enum tcp_reach {
	TCP_NONE, /* it is no established connection, or the other end is being closed */
	TCP_HERE,
	TCP_AWAY, /* on another host, or it is too early to tell */
};

/* Where the other end of a connection is, whatever is under way; and its inode if it is here. */
enum tcp_reach tcp_reach(uint64_t inode, uint64_t since_ns, uint64_t *peer);

/* Has the list read again by the next question. */
void tcp_peers_forget(void);
