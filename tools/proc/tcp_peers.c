/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/net/tcp and /proc/net/tcp6, and finds the two ends of connections. */
#include "tcp_peers.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../base/util.h"
#include "procfs.h"

#define MAPPED "0000000000000000FFFF0000" /* an IPv4 address within IPv6 */
#define ANYWHERE "00000000000000000000000000000000" /* a listener's address: all of this host */
#define SHARE 200u /* of the time, for reading the list */

static struct {
	uint64_t at_ns, due_ns; /* when it was read, and may be read again */
	struct inet_rows rows;
} list;

/* ---- lists ---- */

static void widen(struct inet_end *end)
{
	char address[sizeof(end->address)];

	if (strlen(end->address) != 8)
		return;
	snprintf(address, sizeof(address), "%s%.8s", MAPPED, end->address);
	memcpy(end->address, address, sizeof(address));
}

void inet_read(struct inet_rows *rows, const char *name, unsigned states)
{
	AUTO_CLOSE FILE *file = procfs_stream("%s", name);
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		struct inet_row row;
		unsigned unsent, unread;

		if (sscanf(line,
			   " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %x:%x %*x:%*x %*x %*u %*u %lu",
			   row.local.address, &row.local.port, row.remote.address, &row.remote.port,
			   &row.state, &unsent, &unread, &row.inode) != 8 ||
		    row.state >= 32 || !(states >> row.state & 1))
			continue;
		row.unsent = unsent != 0;
		row.unread = unread != 0;
		widen(&row.local);
		widen(&row.remote);
		*ARRAY_ADD(&rows->row) = row;
	}
}

const struct inet_row *inet_find(const struct inet_rows *rows, uint64_t inode)
{
	for (uint32_t i = 0; i < rows->row.count; i++)
		if (rows->row.item[i].inode == inode)
			return &rows->row.item[i];
	return NULL;
}

static bool is_same(const struct inet_end *one, const struct inet_end *other)
{
	return one->port == other->port && !strcmp(one->address, other->address);
}

const struct inet_row *inet_peer(const struct inet_rows *rows, const struct inet_row *own)
{
	for (uint32_t i = 0; i < rows->row.count; i++)
		if (is_same(&rows->row.item[i].local, &own->remote) &&
		    is_same(&rows->row.item[i].remote, &own->local))
			return &rows->row.item[i];
	return NULL;
}

static bool may_accept(const struct inet_row *listener, const struct inet_end *at)
{
	const char *address = listener->local.address;

	return listener->state == TCP_LISTENS && listener->local.port == at->port &&
	       (!strcmp(address, at->address) || !strcmp(address, ANYWHERE) ||
		!strcmp(address, MAPPED "00000000"));
}

uint64_t inet_accepted(const struct inet_rows *rows, const struct inet_row *row)
{
	uint64_t listener = 0;

	if (row->inode)
		return row->inode;
	for (uint32_t i = 0; i < rows->row.count; i++) {
		if (!may_accept(&rows->row.item[i], &row->local))
			continue;
		if (listener)
			return 0;
		listener = rows->row.item[i].inode;
	}
	return listener;
}

/* ---- connections of this namespace ---- */

static bool is_current(uint64_t since_ns)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	if (list.at_ns && list.at_ns >= since_ns)
		return true;
	if (begin < list.due_ns)
		return false;
	list.rows.row.count = 0;
	inet_read(&list.rows, "self/net/tcp", 1u << TCP_ESTABLISHED | 1u << TCP_LISTENS);
	inet_read(&list.rows, "self/net/tcp6", 1u << TCP_ESTABLISHED | 1u << TCP_LISTENS);
	list.at_ns = begin;
	list.due_ns = begin + (clock_ns(CLOCK_MONOTONIC) - begin) * SHARE;
	return true;
}

/* A connection, or else a listener, which has no other end. */
static const struct inet_row *row_of(uint64_t inode, bool listens)
{
	const struct inet_row *row = inet_find(&list.rows, inode);

	return row && (row->state == TCP_LISTENS) == listens ? row : NULL;
}

uint64_t tcp_peer(uint64_t inode, uint64_t since_ns)
{
	const struct inet_row *own, *peer;

	if (!is_current(since_ns))
		return TCP_LATER;
	own = row_of(inode, false);
	peer = own && !own->unsent ? inet_peer(&list.rows, own) : NULL;
	return peer && !peer->unsent ? inet_accepted(&list.rows, peer) : 0;
}

uint64_t tcp_reader(uint64_t inode, uint64_t since_ns)
{
	const struct inet_row *own, *peer;

	if (!is_current(since_ns))
		return TCP_LATER;
	own = row_of(inode, false);
	peer = own && own->unsent ? inet_peer(&list.rows, own) : NULL;
	return peer && peer->unread ? inet_accepted(&list.rows, peer) : 0;
}

bool tcp_listens(uint64_t inode)
{
	return row_of(inode, true);
}

enum tcp_reach tcp_reach(uint64_t inode, uint64_t since_ns, uint64_t *peer)
{
	const struct inet_row *own, *other;

	if (!is_current(since_ns))
		return TCP_AWAY;
	own = row_of(inode, false);
	other = own ? inet_peer(&list.rows, own) : NULL;
	*peer = other ? inet_accepted(&list.rows, other) : 0;
	return other							   ? TCP_HERE :
	       own && strcmp(own->local.address, own->remote.address) != 0 ? TCP_AWAY :
									     TCP_NONE;
}

void tcp_peers_forget(void)
{
	list.at_ns = list.due_ns = 0;
}
