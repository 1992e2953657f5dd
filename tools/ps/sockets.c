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
#include "../proc/unix_diag.h"

#define ESTABLISHED 1u
#define CONNECTING 2u
#define LISTENS 10u
#define UNIX_LISTENS 0x10000u /* of the flags in /proc/net/unix */
#define CURRENT_NS 1000000000ull
#define ROWS_MAX 65536u

/* A socket as the kernel lists it; addresses of TCP and UDP as text. */
struct socket_row {
	enum socket_kind kind;
	unsigned state, flags;
	unsigned long inode;
	char local[DESCRIPTOR_PATH], remote[64];
};

static struct {
	uint64_t namespace, read_ns;
	ARRAY(struct socket_row) row;
} list;

/* ---- lists ---- */

/* The kernel prints addresses as words in the order of this machine. */
static void address_text(const char *digits, unsigned port, char *text, size_t bytes)
{
	char address[INET6_ADDRSTRLEN] = "?";
	bool is_wide = strlen(digits) == 32;
	uint32_t word[4] = {0};

	for (int i = 0; i < (is_wide ? 4 : 1); i++)
		sscanf(digits + (size_t)8 * i, "%8x", &word[i]);
	inet_ntop(is_wide ? AF_INET6 : AF_INET, word, address, sizeof(address));
	if (!strncmp(address, "::ffff:", 7) && strchr(address, '.'))
		memmove(address, address + 7, strlen(address + 7) + 1);
	snprintf(text, bytes, strchr(address, ':') ? "[%s]:%u" : "%s:%u", address, port);
}

static void add_internet(const char *line, enum socket_kind kind)
{
	struct socket_row row = {.kind = kind};
	char local[33], remote[33];
	unsigned port[2];

	if (sscanf(line, " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %*x:%*x %*x:%*x %*x %*u %*u %lu",
		   local, &port[0], remote, &port[1], &row.state, &row.inode) != 6)
		return;
	address_text(local, port[0], row.local, sizeof(row.local));
	if (port[1])
		address_text(remote, port[1], row.remote, sizeof(row.remote));
	*ARRAY_ADD(&list.row) = row;
}

static void add_unix(const char *line, enum socket_kind kind)
{
	struct socket_row row = {.kind = kind};

	if (sscanf(line, "%*x: %*x %*x %x %*x %x %lu %107[^\n]", &row.flags, &row.state, &row.inode,
		   row.local) >= 3)
		*ARRAY_ADD(&list.row) = row;
}

static void read_list(uint32_t pid, const char *name,
		      void (*add)(const char *line, enum socket_kind kind), enum socket_kind kind)
{
	char line[512];
	FILE *file = procfs_stream("%u/net/%s", pid, name);

	while (file && list.row.count < ROWS_MAX && fgets(line, sizeof(line), file))
		add(line, kind);
	if (file)
		fclose(file);
}

static void read_lists(uint32_t pid)
{
	uint64_t namespace = namespace_of(pid, "net"), now_ns = clock_ns(CLOCK_MONOTONIC);

	if (list.read_ns && list.namespace == namespace && now_ns < list.read_ns + CURRENT_NS)
		return;
	list.row.count = 0;
	list.namespace = namespace;
	read_list(pid, "tcp", add_internet, SOCKET_TCP);
	read_list(pid, "tcp6", add_internet, SOCKET_TCP);
	read_list(pid, "udp", add_internet, SOCKET_UDP);
	read_list(pid, "udp6", add_internet, SOCKET_UDP);
	read_list(pid, "unix", add_unix, SOCKET_UNIX);
	list.read_ns = now_ns;
}

static const struct socket_row *row_of(uint64_t inode)
{
	for (uint32_t i = 0; i < list.row.count; i++)
		if (list.row.item[i].inode == inode)
			return &list.row.item[i];
	return NULL;
}

/* ---- one socket ---- */

static void put_text(char to[SOCKET_NAME_BYTES], const char *text)
{
	snprintf(to, SOCKET_NAME_BYTES, "%s", text);
}

static const char *port_of(const char *address)
{
	return strrchr(address, ':') ?: "";
}

/* Where that peer, which no process has yet, waits to be accepted; 0: unknown, or several listen at its port. */
static uint64_t listener_of(const struct socket_row *peer)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < list.row.count; i++) {
		const struct socket_row *row = &list.row.item[i];

		if (row->kind != SOCKET_TCP || row->state != LISTENS ||
		    strcmp(port_of(row->local), port_of(peer->local)) != 0)
			continue;
		if (found)
			return 0;
		found = row->inode;
	}
	return found;
}

static void add_internet_peer(const struct socket_row *row, struct socket_facts *facts)
{
	put_text(facts->peer, row->remote);
	for (uint32_t i = 0; *row->remote && i < list.row.count; i++) {
		const struct socket_row *other = &list.row.item[i];

		if (other->kind != row->kind || strcmp(other->local, row->remote) != 0 ||
		    strcmp(other->remote, row->local) != 0)
			continue;
		if (other->inode)
			facts->peer_inode = other->inode;
		else if (other->kind == SOCKET_TCP && other->state == ESTABLISHED)
			facts->listener = listener_of(other);
	}
}

static void add_unix_peer(uint64_t inode, struct socket_facts *facts)
{
	struct unix_ends ends = {0};
	const struct socket_row *other;

	if (!unix_diag_ends(inode, &ends) || !ends.peer)
		return;
	other = row_of(ends.peer);
	if (other)
		put_text(facts->peer, other->local);
	facts->peer_inode = ends.peer;
}

bool sockets_look(uint32_t pid, uint64_t inode, struct socket_facts *facts)
{
	const struct socket_row *row;

	*facts = (struct socket_facts){0};
	read_lists(pid);
	row = inode ? row_of(inode) : NULL;
	if (!row)
		return false;
	facts->kind = row->kind;
	put_text(facts->local, row->local);
	facts->listens = row->kind == SOCKET_UNIX ?
				 (row->flags & UNIX_LISTENS) != 0 :
				 row->kind == SOCKET_TCP && row->state == LISTENS;
	facts->connects = row->kind == SOCKET_TCP && row->state == CONNECTING;
	if (row->kind == SOCKET_UNIX)
		add_unix_peer(inode, facts);
	else
		add_internet_peer(row, facts);
	return true;
}
