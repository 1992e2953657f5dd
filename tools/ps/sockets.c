/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lists of sockets of a process's network namespace. */
#include "sockets.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../base/util.h"
#include "../proc/descriptors.h"
#include "../proc/namespaces.h"
#include "../proc/procfs.h"
#include "../proc/tcp_peers.h"
#include "../proc/unix_diag.h"

#define UNIX_LISTENS 0x10000u /* of the flags in /proc/net/unix */
#define CURRENT_NS 1000000000ull
#define ROWS_MAX 65536u

struct unix_row {
	unsigned flags;
	unsigned long inode;
	char path[DESCRIPTOR_PATH];
};

static struct {
	uint64_t namespace, read_ns;
	struct inet_rows tcp, udp;
	ARRAY(struct unix_row) local;
} list;

/* ---- lists ---- */

static void read_unix(uint32_t pid)
{
	char line[512];
	AUTO_CLOSE FILE *file = procfs_stream("%u/net/unix", pid);

	while (file && list.local.count < ROWS_MAX && fgets(line, sizeof(line), file)) {
		struct unix_row row = {0};

		if (sscanf(line, "%*x: %*x %*x %x %*x %*x %lu %107[^\n]", &row.flags, &row.inode,
			   row.path) >= 2)
			*ARRAY_ADD(&list.local) = row;
	}
}

static void read_internet(struct inet_rows *rows, uint32_t pid, const char *protocol)
{
	char name[32];

	rows->row.count = 0;
	snprintf(name, sizeof(name), "%u/net/%s", pid, protocol);
	inet_read(rows, name, ~0u);
	snprintf(name, sizeof(name), "%u/net/%s6", pid, protocol);
	inet_read(rows, name, ~0u);
}

static void read_lists(uint32_t pid)
{
	uint64_t namespace = namespace_of(pid, "net"), now_ns = clock_ns(CLOCK_MONOTONIC);

	if (list.read_ns && list.namespace == namespace && now_ns < list.read_ns + CURRENT_NS)
		return;
	list.namespace = namespace;
	read_internet(&list.tcp, pid, "tcp");
	read_internet(&list.udp, pid, "udp");
	list.local.count = 0;
	read_unix(pid);
	list.read_ns = now_ns;
}

static const struct unix_row *unix_of(uint64_t inode)
{
	for (uint32_t i = 0; i < list.local.count; i++)
		if (list.local.item[i].inode == inode)
			return &list.local.item[i];
	return NULL;
}

/* ---- one socket ---- */

/* The kernel prints addresses as words in the order of this machine. */
static void put_end(char to[SOCKET_NAME_BYTES], const struct inet_end *end)
{
	char address[INET6_ADDRSTRLEN] = "?";
	uint32_t word[4] = {0};
	bool is_mapped;

	for (int i = 0; i < 4; i++)
		sscanf(end->address + (size_t)8 * i, "%8x", &word[i]);
	inet_ntop(AF_INET6, word, address, sizeof(address));
	is_mapped = !strncmp(address, "::ffff:", 7) && strchr(address, '.');
	snprintf(to, SOCKET_NAME_BYTES, is_mapped ? "%s:%u" : "[%s]:%u",
		 is_mapped ? address + 7 : address, end->port);
}

static void look_at_internet(const struct inet_rows *rows, const struct inet_row *row,
			     struct socket_facts *facts)
{
	bool is_tcp = rows == &list.tcp;
	const struct inet_row *peer;

	facts->kind = is_tcp ? SOCKET_TCP : SOCKET_UDP;
	facts->listens = is_tcp && row->state == TCP_LISTENS;
	facts->connects = is_tcp && row->state == TCP_CONNECTING;
	put_end(facts->local, &row->local);
	if (!row->remote.port)
		return;
	put_end(facts->peer, &row->remote);
	peer = inet_peer(rows, row);
	if (peer && peer->inode)
		facts->peer_inode = peer->inode;
	else if (peer && is_tcp && peer->state == TCP_ESTABLISHED)
		facts->listener = inet_accepted(rows, peer);
}

static void look_at_unix(const struct unix_row *row, struct socket_facts *facts)
{
	struct unix_ends ends = {0};
	const struct unix_row *peer;

	facts->kind = SOCKET_UNIX;
	facts->listens = (row->flags & UNIX_LISTENS) != 0;
	snprintf(facts->local, sizeof(facts->local), "%s", row->path);
	if (!unix_diag_ends(row->inode, &ends) || !ends.peer)
		return;
	peer = unix_of(ends.peer);
	if (peer)
		snprintf(facts->peer, sizeof(facts->peer), "%s", peer->path);
	facts->peer_inode = ends.peer;
}

bool sockets_look(uint32_t pid, uint64_t inode, struct socket_facts *facts)
{
	const struct inet_row *tcp, *udp;
	const struct unix_row *local;

	*facts = (struct socket_facts){0};
	if (!inode)
		return false;
	read_lists(pid);
	tcp = inet_find(&list.tcp, inode);
	udp = inet_find(&list.udp, inode);
	local = unix_of(inode);
	if (tcp)
		look_at_internet(&list.tcp, tcp, facts);
	else if (udp)
		look_at_internet(&list.udp, udp, facts);
	else if (local)
		look_at_unix(local, facts);
	return tcp || udp || local;
}
