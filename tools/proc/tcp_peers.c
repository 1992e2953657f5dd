/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/net/tcp and /proc/net/tcp6, and finds the two ends of connections. */
#include "tcp_peers.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../base/util.h"
#include "procfs.h"

#define ADDRESS_BYTES 33u
#define MAPPED "0000000000000000FFFF0000" /* an IPv4 address within IPv6 */
#define ANYWHERE "00000000000000000000000000000000" /* a listener's address: all of this host */
#define ESTABLISHED 1u
#define LISTENS 10u
#define SHARE 200u /* of the time, for reading the list */

struct tcp_end {
	char address[ADDRESS_BYTES];
	unsigned port;
};

struct tcp_row {
	struct tcp_end local, remote;
	unsigned long inode; /* 0: nobody has accepted it yet */
	bool listens;
	bool unsent; /* its data are not acknowledged yet: they may be under way */
	bool unread; /* the peer's data wait there for who reads them */
};

static struct {
	uint64_t at_ns, due_ns; /* when it was read, and may be read again */
	ARRAY(struct tcp_row) row;
} list;

static void widen(struct tcp_end *end)
{
	char address[ADDRESS_BYTES];

	if (strlen(end->address) != 8)
		return;
	snprintf(address, sizeof(address), "%s%.8s", MAPPED, end->address);
	memcpy(end->address, address, sizeof(address));
}

static void add_row(const char *line)
{
	struct tcp_row row;
	unsigned state, unsent, unread;

	if (sscanf(line, " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %x:%x %*x:%*x %*x %*u %*u %lu",
		   row.local.address, &row.local.port, row.remote.address, &row.remote.port, &state,
		   &unsent, &unread, &row.inode) != 8 ||
	    (state != ESTABLISHED && state != LISTENS))
		return;
	row.listens = state == LISTENS;
	row.unsent = unsent != 0;
	row.unread = unread != 0;
	widen(&row.local);
	widen(&row.remote);
	*ARRAY_ADD(&list.row) = row;
}

static void read_list(const char *name)
{
	FILE *file = procfs_stream("self/net/%s", name);
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		add_row(line);
	if (file)
		fclose(file);
}

static bool is_current(uint64_t since_ns)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	if (list.at_ns && list.at_ns >= since_ns)
		return true;
	if (begin < list.due_ns)
		return false;
	list.row.count = 0;
	read_list("tcp");
	read_list("tcp6");
	list.at_ns = begin;
	list.due_ns = begin + (clock_ns(CLOCK_MONOTONIC) - begin) * SHARE;
	return true;
}

static bool is_same(const struct tcp_end *one, const struct tcp_end *other)
{
	return one->port == other->port && !strcmp(one->address, other->address);
}

/* A connection, or else a listener, which has no other end. */
static const struct tcp_row *row_of(uint64_t inode, bool listens)
{
	for (uint32_t i = 0; i < list.row.count; i++)
		if (list.row.item[i].inode == inode && list.row.item[i].listens == listens)
			return &list.row.item[i];
	return NULL;
}

static const struct tcp_row *peer_of(const struct tcp_row *own)
{
	for (uint32_t i = 0; i < list.row.count; i++)
		if (is_same(&list.row.item[i].local, &own->remote) &&
		    is_same(&list.row.item[i].remote, &own->local))
			return &list.row.item[i];
	return NULL;
}

static bool may_accept(const struct tcp_row *listener, const struct tcp_end *at)
{
	const char *address = listener->local.address;

	return listener->listens && listener->local.port == at->port &&
	       (!strcmp(address, at->address) || !strcmp(address, ANYWHERE) ||
		!strcmp(address, MAPPED "00000000"));
}

/* The socket itself, or the listener that has it in its queue; 0: several may have it. */
static uint64_t accepted(const struct tcp_row *row)
{
	uint64_t listener = 0;

	if (row->inode)
		return row->inode;
	for (uint32_t i = 0; i < list.row.count; i++) {
		if (!may_accept(&list.row.item[i], &row->local))
			continue;
		if (listener)
			return 0;
		listener = list.row.item[i].inode;
	}
	return listener;
}

uint64_t tcp_peer(uint64_t inode, uint64_t since_ns)
{
	const struct tcp_row *own, *peer;

	if (!is_current(since_ns))
		return TCP_LATER;
	own = row_of(inode, false);
	peer = own && !own->unsent ? peer_of(own) : NULL;
	return peer && !peer->unsent ? accepted(peer) : 0;
}

uint64_t tcp_reader(uint64_t inode, uint64_t since_ns)
{
	const struct tcp_row *own, *peer;

	if (!is_current(since_ns))
		return TCP_LATER;
	own = row_of(inode, false);
	peer = own && own->unsent ? peer_of(own) : NULL;
	return peer && peer->unread ? accepted(peer) : 0;
}

bool tcp_listens(uint64_t inode)
{
	return row_of(inode, true);
}

enum tcp_reach tcp_reach(uint64_t inode, uint64_t since_ns, uint64_t *peer)
{
	const struct tcp_row *own, *other;

	if (!is_current(since_ns))
		return TCP_AWAY;
	own = row_of(inode, false);
	other = own ? peer_of(own) : NULL;
	*peer = other ? accepted(other) : 0;
	return other							   ? TCP_HERE :
	       own && strcmp(own->local.address, own->remote.address) != 0 ? TCP_AWAY :
									     TCP_NONE;
}

void tcp_peers_forget(void)
{
	list.at_ns = list.due_ns = 0;
}
